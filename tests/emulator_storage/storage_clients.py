"""Clients of the object store, for the tests."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

TOKEN = "a-token-for-tests"
BUCKET = "a-bucket"


def google_client(url):
    options = {"api_endpoint": url}
    return storage.Client(project="p", credentials=AnonymousCredentials(), client_options=options)


class Answer:
    """One HTTP answer, read to its end."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Raw:
    """One keep-alive connection, paths below the token."""

    def __init__(self, url):
        parts = urlsplit(url)
        self.prefix = parts.path
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)

    def call(self, method, path, body=None, headers=None):
        return self.absolute(method, self.prefix + path, body, headers)

    def absolute(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body=body, headers=headers or {})
        return Answer(self.connection.getresponse())

    def upload(self, name, body, query="", headers=None):
        path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name={name}{query}"
        return self.call("POST", path, body, headers)

    def media(self, name, headers=None):
        return self.call("GET", f"/storage/v1/b/{BUCKET}/o/{name}?alt=media", headers=headers)

    def close(self):
        self.connection.close()
