"""The connection holder: a background process of one user that keeps SSH connections between commands.

Nothing needs it. A command that cannot use it opens connections of its own, as if it were not there.
`docs/explanation/connections.md` has the whole picture.
"""
