"""How much text there is in files, without reading all of it."""
