"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _job() -> sa.ForeignKey:
    """A job's rows go with it."""
    return sa.ForeignKey("jobs.id", ondelete="CASCADE")


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(80), primary_key=True),
        sa.Column("name", sa.String(64), nullable=False, index=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("base_directory", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("overrides", sa.JSON, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("directory", sa.Text, nullable=False),
        sa.Column("keep", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("wanted", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("ended_at", sa.Float),
        sa.Column("exit_code", sa.Integer),
        sa.Column("message", sa.Text, nullable=False),
    )
    op.create_table(
        "attempts",
        sa.Column("job_id", sa.String(80), _job(), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("zone", sa.String(64)),
        sa.Column("resume", sa.Boolean, nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("ended_at", sa.Float),
        sa.Column("diagnosis", sa.Text),
        sa.Column("recovery", sa.Text),
    )
    op.create_table(
        "stages",
        sa.Column("job_id", sa.String(80), _job(), primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True),
        sa.Column("stage", sa.String(32), primary_key=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("ended_at", sa.Float),
        sa.Column("result", sa.Text),
        sa.Column("error", sa.Text),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("job_id", sa.String(80), _job(), nullable=False, index=True),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_table(
        "leases",
        sa.Column("job_id", sa.String(80), _job(), primary_key=True),
        sa.Column("holder", sa.String(160), nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
    )
