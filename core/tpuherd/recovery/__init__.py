"""What recovery policies are made of: pure functions of values, for the shipped policies and for others."""
