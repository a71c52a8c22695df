"""What goes wrong in the emulated cloud on demand, and what it runs out of."""
