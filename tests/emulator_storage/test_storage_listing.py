"""Listings: pages, prefixes, offsets and globs."""

from __future__ import annotations

import pytest
from google.api_core import exceptions
from storage_clients import BUCKET

from tpuherd_emulator.storage.globs import compile_glob

NAMES = ["a", "a/", "a/1", "a/2/x", "a/2/y", "b", "b/1", "c.txt", "é", "\U0001f600"]


@pytest.fixture
def filled(bucket):
    for name in reversed(NAMES):
        bucket.blob(name).upload_from_string(b"")
    return bucket


def names(client, **parameters):
    return [blob.name for blob in client.list_blobs(BUCKET, **parameters)]


def test_order_prefix_and_offsets(client, filled):
    assert names(client) == NAMES
    assert names(client, prefix="a/") == ["a/", "a/1", "a/2/x", "a/2/y"]
    assert names(client, start_offset="a/2", end_offset="b/1") == ["a/2/x", "a/2/y", "b"]
    assert names(client, max_results=3) == NAMES[:3]
    assert names(client, versions=True) == NAMES
    assert names(client, prefix="nothing") == []


@pytest.mark.parametrize("page_size", [1, 2, 3, 10])
def test_pages_with_a_delimiter(client, filled, page_size):
    found = client.list_blobs(BUCKET, delimiter="/", page_size=page_size)
    items = [blob.name for blob in found]
    assert items == ["a", "b", "c.txt", "é", "\U0001f600"]
    assert found.prefixes == {"a/", "b/"}


@pytest.mark.parametrize("page_size", [1, 2, 3])
def test_pages_are_full_and_have_no_doubles(client, filled, page_size):
    pages = [[blob.name for blob in page] for page in client.list_blobs(BUCKET, page_size=page_size).pages]
    assert [name for page in pages for name in page] == NAMES
    assert all(len(page) == page_size for page in pages[:-1])


def test_trailing_delimiter_and_nested_prefix(client, filled):
    found = client.list_blobs(BUCKET, delimiter="/", include_trailing_delimiter=True)
    assert [blob.name for blob in found][:3] == ["a", "a/", "b"]
    nested = client.list_blobs(BUCKET, prefix="a/", delimiter="/")
    assert [blob.name for blob in nested] == ["a/", "a/1"]
    assert nested.prefixes == {"a/2/"}


def test_glob(client, filled):
    assert names(client, match_glob="a/**") == ["a/", "a/1", "a/2/x", "a/2/y"]
    assert names(client, match_glob="{b,c}*") == ["b", "c.txt"]
    assert names(client, match_glob="**/[!x]") == ["a", "a/1", "a/2/y", "b", "b/1", "é", "\U0001f600"]


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.txt", "a.txt", "d/a.txt"),
        ("a?c", "abc", "a/c"),
        ("a,b", "a,b", "a"),
        ("[a-c]1", "b1", "d1"),
        ("d/**/x", "d/x", "dx"),
        (r"\*", "*", "a"),
        ("{a,b/{c,d}}", "b/d", "b/e"),
        ("a.c", "a.c", "abc"),
    ],
)
def test_globs(glob, yes, no):
    assert compile_glob(glob).fullmatch(yes)
    assert not compile_glob(glob).fullmatch(no)


@pytest.mark.parametrize("query", ["maxResults=x", "maxResults=0", "pageToken=%21%21", "matchGlob=%5Bz-a%5D"])
def test_wrong_parameters(raw, query):
    answer = raw.call("GET", f"/storage/v1/b/{BUCKET}/o?{query}")
    assert answer.status == 400
    assert answer.json["error"]["errors"][0]["location"] == query.split("=")[0]


def test_listing_a_missing_bucket(client):
    found = client.list_blobs("missing-bucket")
    with pytest.raises(exceptions.NotFound):
        next(iter(found))
