"""What tpuherd remembers: jobs, attempts, stages, events and leases, in any SQL database."""
