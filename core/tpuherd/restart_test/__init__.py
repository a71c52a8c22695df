"""`run --test-restart`: a workload is killed on purpose, started again, and has to go on where it was."""
