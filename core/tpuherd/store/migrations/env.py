"""Run by alembic: apply migrations on the connection that `database.py` hands over."""

from __future__ import annotations

from alembic import context

from tpuherd.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
