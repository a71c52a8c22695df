"""The emulated object store: Google Cloud Storage's JSON API, and the parts of its XML API that clients use.

A request is authorised by the server's token, either as `Authorization: Bearer TOKEN` or as the first
segment of the path, so that clients which know nothing but an endpoint variable work unchanged:

    STORAGE_EMULATOR_HOST=<server.url>       google-cloud-storage, gcsfs and what stands on them
    TENSORSTORE_GCS_HTTP_URL=<server.url>    tensorstore, hence the arrays of orbax

Served as the real service does: buckets; media, multipart and resumable uploads; XML multipart uploads;
ranges; preconditions; listing with pages, delimiters and globs; compose, copy, rewrite, move; batches;
checksums.

Not served, and refused with 501 where asked for by name: object versioning, holds, retention, customer
keys, ACL and IAM policies, notifications, XML bucket listings. Not emulated: permissions (the one token may
do everything), lifecycle rules (kept, never run), decompression of gzip objects on the way out, `fields`
(answers are always whole), resumable sessions over a restart of the server.
"""
