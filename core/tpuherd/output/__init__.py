"""What people and scripts see: progress, log lines, tables, JSON."""
