"""Seeing what goes wrong: facts, the detector table, and what several opinions come to."""
