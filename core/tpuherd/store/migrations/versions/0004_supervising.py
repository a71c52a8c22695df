"""One process for all jobs: who that is, what ails jobs, and what users have seen of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns and the table.

    Whether somebody still wants to go on with a live job that keeps its slices was not written down before:
    it may have been run stage by stage. A supervisor leaves those alone until `tpuherd resume`.
    """
    op.add_column("jobs", sa.Column("problem", sa.Text))
    op.add_column("jobs", sa.Column("acknowledged_at", sa.Float))
    op.add_column("jobs", sa.Column("acknowledgement", sa.Text))
    op.add_column("leases", sa.Column("asked_by", sa.String(160)))
    op.create_table(
        "supervisors",
        sa.Column("name", sa.String(160), primary_key=True),
        sa.Column("holder", sa.String(160), nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
    )
    jobs = sa.table("jobs", *(sa.column(name) for name in ("state", "wanted", "keep")))
    by_hand = (jobs.c.state == "live") & (jobs.c.wanted == "run") & jobs.c.keep.is_(sa.true())
    op.execute(jobs.update().where(by_hand).values(wanted="wait"))
