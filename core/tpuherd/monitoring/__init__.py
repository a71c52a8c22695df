"""Looking at jobs while they run: how far they are, how fast, what they cost; and acting on what one sees."""
