"""Driving a job through its stages, so that any process may die at any line."""
