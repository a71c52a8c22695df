"""The objects of one bucket as folders and files, over the JSON API."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any


class Objects:
    """A bucket, or a folder of it."""

    def __init__(self, endpoint: str, bucket: str, only_dir: str) -> None:
        self.base = endpoint if "://" in endpoint else f"http://{endpoint}"
        self.bucket = bucket
        self.prefix = f"{only_dir.strip('/')}/" if only_dir else ""

    def children(self, folder: str) -> tuple[set[str], dict[str, int]]:
        """Names of the folders in a folder, and of the files with their sizes."""
        prefix = self.prefix + (f"{folder}/" if folder else "")
        query = urllib.parse.urlencode({"prefix": prefix, "delimiter": "/"})
        page = json.loads(self._call("GET", f"/storage/v1/b/{self.bucket}/o?{query}"))
        folders = {name[len(prefix) :].rstrip("/") for name in page.get("prefixes", ())}
        named = {item["name"][len(prefix) :]: int(item["size"]) for item in page.get("items", ())}
        return folders, {name: size for name, size in named.items() if name and not name.endswith("/")}

    def read(self, path: str) -> bytes:
        return self._call("GET", f"/storage/v1/b/{self.bucket}/o/{self._name(path)}?alt=media")

    def write(self, path: str, content: bytes) -> None:
        query = f"uploadType=media&name={self._name(path)}"
        self._call("POST", f"/upload/storage/v1/b/{self.bucket}/o?{query}", content)

    def delete(self, path: str) -> None:
        self._call("DELETE", f"/storage/v1/b/{self.bucket}/o/{self._name(path)}")

    def _name(self, path: str) -> str:
        return urllib.parse.quote(self.prefix + path, safe="")

    def _call(self, method: str, address: str, content: bytes | None = None) -> Any:
        request = urllib.request.Request(self.base + address, content, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            error.close()
            raise (FileNotFoundError(address) if error.code == 404 else error) from None
