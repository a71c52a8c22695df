"""What can be done to a worker, for `Fleet.each`; workers of any sort know how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_emulator.workers import dirtying, signals

if TYPE_CHECKING:
    from tpuherd_emulator.workers.machine import Machine


def power_on(machine: Machine) -> None:
    """Boot."""
    machine.power_on()


def power_off(machine: Machine) -> None:
    """Pull the plug."""
    machine.power_off()


def recover(machine: Machine) -> None:
    """Let it answer again."""
    machine.recover()


def wipe(machine: Machine) -> None:
    """Empty its disk."""
    machine.wipe()


def freeze(machine: Machine) -> None:
    """Let all of its processes stand still."""
    if machine.is_on:
        signals.freeze(machine.plan.directory)


def silence(machine: Machine) -> None:
    """Let its SSH server stand still."""
    if machine.is_on:
        signals.silence(machine.plan.directory)


def dirty(machine: Machine) -> None:
    """Let a stale process hold its TPU."""
    if machine.is_on:
        dirtying.dirty(machine)
