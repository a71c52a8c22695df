"""Jobs that are members of a fleet."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column; jobs that are there are members of none."""
    op.add_column("jobs", sa.Column("fleet", sa.String(80)))
    op.create_index("ix_jobs_fleet", "jobs", ["fleet"])
