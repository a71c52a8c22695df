"""Jobs on an emulated cloud where everything goes wrong that can, by plans that a number stands for."""
