"""The tables of the store, as the newest migration leaves them."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, Float, ForeignKey, Integer, MetaData, String, Table, Text

metadata = MetaData()

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("name", String(64), nullable=False, index=True),
    Column("owner", String(64), nullable=False),
    Column("file", Text, nullable=False),
    Column("base_directory", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("overrides", JSON, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("directory", Text, nullable=False),
    Column("keep", Boolean, nullable=False),
    Column("state", String(16), nullable=False, index=True),
    Column("wanted", String(16), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("ended_at", Float),
    Column("exit_code", Integer),
    Column("message", Text, nullable=False),
    Column("ttl_s", Float),
    Column("expires_at", Float),
    Column("idle_timeout_s", Float),
    Column("used_at", Float),
    Column("problem", Text),
    Column("acknowledged_at", Float),
    Column("acknowledgement", Text),
    Column("fleet", String(80), index=True),
)

attempts = Table(
    "attempts",
    metadata,
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("zone", String(64)),
    Column("resume", Boolean, nullable=False),
    Column("started_at", Float, nullable=False),
    Column("ended_at", Float),
    Column("diagnosis", Text),
    Column("recovery", Text),
)

stages = Table(
    "stages",
    metadata,
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("stage", String(32), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("started_at", Float, nullable=False),
    Column("ended_at", Float),
    Column("result", Text),
    Column("error", Text),
)

recoveries = Table(
    "recoveries",
    metadata,
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("attempt", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("diagnosis", Text, nullable=False),
    Column("recovery", Text, nullable=False),
    Column("done_at", Float),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("attempt", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("text", Text, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("holder", String(160), nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("asked_by", String(160)),
)

supervisors = Table(
    "supervisors",
    metadata,
    Column("name", String(160), primary_key=True),
    Column("holder", String(160), nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("status", Text, nullable=False),
)

reservations = Table(
    "reservations",
    metadata,
    Column("resource", String(160), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("reason", Text, nullable=False),
    Column("until", Float, nullable=False),
    Column("created_at", Float, nullable=False),
)

aliases = Table(
    "aliases",
    metadata,
    Column("alias", String(64), primary_key=True),
    Column("resource", String(80), nullable=False),
    Column("zone", String(64), nullable=False),
    Column("owner", String(64), nullable=False),
)

claims = Table(
    "claims",
    metadata,
    Column("resource", String(160), primary_key=True),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Float, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
