"""All TPUs of a project, whoever made them: reading, choosing, making, deleting, maintenance."""
