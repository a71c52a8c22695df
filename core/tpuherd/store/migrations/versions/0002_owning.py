"""Whose resources are whose: the id of the store, how long jobs may hold slices, claims on machines."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns and tables; jobs that are there have no limit."""
    for name in ("ttl_s", "expires_at", "idle_timeout_s", "used_at"):
        op.add_column("jobs", sa.Column(name, sa.Float))
    op.create_table(
        "settings",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "reservations",
        sa.Column("resource", sa.String(160), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
    )
    op.create_table(
        "aliases",
        sa.Column("alias", sa.String(64), primary_key=True),
        sa.Column("resource", sa.String(80), nullable=False),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
    )
    op.create_table(
        "claims",
        sa.Column("resource", sa.String(160), primary_key=True),
        sa.Column(
            "job_id", sa.String(80), sa.ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("created_at", sa.Float, nullable=False),
    )
