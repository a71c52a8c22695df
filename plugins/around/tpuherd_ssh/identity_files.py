"""The files that an identity is on a worker."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import ConfigError
from tpuherd.config.secrets import SecretRef, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.config.jobman import Identity, SshSection

TAKEN = frozenset({"config", "known_hosts", "authorized_keys", "tpuherd_config", "tpuherd_known_hosts"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SshFile:
    """One file in `~/.ssh` of a worker."""

    name: str
    mode: str
    """As `chmod` has it."""
    content: str = field(repr=False)


def ssh_files(section: SshSection, base_directory: Path) -> list[SshFile]:
    """All files of a job; private keys are read, so keep the result out of logs and files.

    Raises:
        ConfigError: a key cannot be read, has no name, or shares its name with another file.
    """
    numbered = enumerate(section.identities)
    files = [file for number, one in numbered for file in _of(one, number, base_directory)]
    entries = [one.config_entry.rstrip() + "\n" for one in section.identities if one.config_entry]
    if section.known_hosts:
        text = "".join(f"{line.strip()}\n" for line in section.known_hosts)
        files.append(SshFile(name="tpuherd_known_hosts", mode="600", content=text))
    if entries or section.known_hosts:
        files.append(SshFile(name="tpuherd_config", mode="600", content="\n".join(entries)))
    _require_own_names([file.name for file in files])
    return files


def key_name(one: Identity, number: int) -> str:
    """The name of an identity's private key on the workers.

    Raises:
        ConfigError: it has none, or one that belongs to another file.
    """
    given = one.private_key
    file = given.file if isinstance(given, SecretRef) else given
    name = one.name or (Path(file).name if file else "")
    name = name or (Path(one.public_key).name.removesuffix(".pub") if one.public_key else "")
    key = f"ssh.identities[{number}].name"
    if not name and given is not None:
        raise ConfigError(f"{key}: a key from a variable has no file: say what it is called on the workers")
    if name in TAKEN:
        raise ConfigError(f"{key}: {name} in ~/.ssh is no key; choose another name")
    return name


def _of(one: Identity, number: int, base_directory: Path) -> Iterator[SshFile]:
    name, key = key_name(one, number), f"ssh.identities[{number}]"
    if isinstance(one.private_key, SecretRef):
        text = resolve(one.private_key, base_directory, f"{key}.private_key")
        _require_private(text, f"{key}.private_key")
        yield SshFile(name=name, mode="600", content=f"{text}\n")
    if one.public_key:
        ref = SecretRef(file=one.public_key)
        text = resolve(ref, base_directory, f"{key}.public_key")
        if "PRIVATE KEY" in text:
            raise ConfigError(f"{key}.public_key: {one.public_key} is a private key")
        yield SshFile(name=f"{name}.pub", mode="644", content=f"{text}\n")


def _require_private(text: str, key: str) -> None:
    if "PRIVATE KEY-----" not in text:
        raise ConfigError(f"{key}: what it refers to is no private key")


def _require_own_names(names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"ssh.identities: two have the file {twice[0]}; give one of them another name")
