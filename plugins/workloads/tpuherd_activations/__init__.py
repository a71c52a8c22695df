"""Activation extraction."""
