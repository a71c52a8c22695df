"""Reading checkpoints: safetensors files, whatever their number, to arrays on the devices."""
