"""One process that drives all jobs of a user that are meant to go on and have nobody who drives them."""
