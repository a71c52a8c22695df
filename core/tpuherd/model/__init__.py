"""The values that cross hooks: frozen, typed, and without behaviour that touches the world."""
