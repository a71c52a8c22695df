"""OS Login, as far as gcloud asks it about nodes whose metadata say `enable-oslogin`: one account, some keys.

A real TPU VM lets in the keys of the profile. gcloud also puts its key on the node itself, as everywhere, and
that is what emulated workers look at.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

_USER = re.compile(r"oslogin/(?:v1|v1beta|v1alpha)/users/([^/:]+)(/loginProfile|:importSshPublicKey)")


@dataclass(frozen=True, slots=True, kw_only=True)
class OsLogin:
    """The profiles of all users: they have the same account."""

    user: str
    """Who logs in to workers: the emulator makes no accounts."""
    _keys: dict[str, str] = field(default_factory=dict)
    """Fingerprint to key, as far as they were imported."""

    def answer(self, verb: str, path: str, body: bytes) -> dict[str, Any] | None:
        """Return a profile; `None` if nothing is here."""
        found = _USER.fullmatch(path)
        if found and (verb, found[2]) == ("GET", "/loginProfile"):
            return self._profile(found[1])
        if found and (verb, found[2]) == ("POST", ":importSshPublicKey"):
            self._import(body)
            return {"loginProfile": self._profile(found[1])}
        return None

    def _profile(self, name: str) -> dict[str, Any]:
        account = {"primary": True, "username": self.user, "operatingSystemType": "LINUX"}
        keys = {mark: {"key": key, "fingerprint": mark} for mark, key in tuple(self._keys.items())}
        return {"name": name, "posixAccounts": [account], "sshPublicKeys": keys}

    def _import(self, body: bytes) -> None:
        try:
            key = str(json.loads(body)["key"])
        except (ValueError, KeyError, TypeError):
            return  # nothing to import is no error: the profile shows what there is
        self._keys[hashlib.sha256(key.encode()).hexdigest()] = key
