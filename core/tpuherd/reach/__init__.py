"""What people do on a job's workers while it is there: commands, files, processes."""
