"""Errors of the storage API, as clients see them."""

from __future__ import annotations

import json
from http import HTTPStatus
from xml.sax.saxutils import escape


class StorageError(Exception):
    """One refused request.

    Args:
        status: HTTP status code.
        reason: The API's word for it, for example `notFound`.
        message: What a person reads.
        location: The parameter or header to blame, if it is one.
    """

    def __init__(self, status: int, reason: str, message: str, *, location: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message
        self.location = location

    def as_json(self) -> bytes:
        """The body of the JSON API."""
        detail = {"message": self.message, "domain": "global", "reason": self.reason}
        if self.location:
            detail |= {"locationType": "parameter", "location": self.location}
        return json.dumps(
            {"error": {"code": self.status, "message": self.message, "errors": [detail]}}
        ).encode()

    def as_xml(self) -> bytes:
        """The body of the XML API."""
        code = _XML_CODES.get(self.reason, self.reason[:1].upper() + self.reason[1:])
        body = f"<Error><Code>{escape(code)}</Code><Message>{escape(self.message)}</Message></Error>"
        return f"<?xml version='1.0' encoding='UTF-8'?>{body}".encode()


_XML_CODES = {
    "conditionNotMet": "PreconditionFailed",
    "requestedRangeNotSatisfiable": "InvalidRange",
    "invalid": "InvalidArgument",
}


def invalid(message: str, location: str = "") -> StorageError:
    """400: the request itself is wrong."""
    return StorageError(HTTPStatus.BAD_REQUEST, "invalid", message, location=location)


def no_bucket() -> StorageError:
    """404: no such bucket; buckets are never made on the side."""
    return StorageError(HTTPStatus.NOT_FOUND, "notFound", "The specified bucket does not exist.")


def no_object(bucket: str, name: str) -> StorageError:
    """404: no such object, or not in the generation asked for."""
    return StorageError(HTTPStatus.NOT_FOUND, "notFound", f"No such object: {bucket}/{name}")


def no_upload() -> StorageError:
    """404: no such upload session."""
    return StorageError(HTTPStatus.NOT_FOUND, "notFound", "No such upload; start a new one.")


def condition_not_met() -> StorageError:
    """412: a precondition does not hold."""
    text = "At least one of the pre-conditions you specified did not hold."
    return StorageError(HTTPStatus.PRECONDITION_FAILED, "conditionNotMet", text, location="If-Match")


def not_modified() -> StorageError:
    """304: the reader has this version already."""
    return StorageError(HTTPStatus.NOT_MODIFIED, "notModified", "Not Modified")


def conflict(message: str) -> StorageError:
    """409: the bucket exists, or is not empty."""
    return StorageError(HTTPStatus.CONFLICT, "conflict", message)


def not_served(what: str) -> StorageError:
    """501: the real service has it, this one has not, and does not pretend."""
    text = f"The emulated storage does not serve {what}."
    return StorageError(HTTPStatus.NOT_IMPLEMENTED, "notImplemented", text)


def no_token() -> StorageError:
    """401: neither the header nor the path carries the server's token."""
    text = (
        "The emulated storage needs its token: use the server's url, which ends in it, as the endpoint, "
        "or send it as 'Authorization: Bearer TOKEN'."
    )
    return StorageError(HTTPStatus.UNAUTHORIZED, "required", text, location="Authorization")
