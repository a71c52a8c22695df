"""Messages between commands and the holder."""

from __future__ import annotations

import os
import socket
import threading

import pytest

from tpuherd.holder import frames


@pytest.fixture
def pair():
    ends = socket.socketpair()
    yield ends
    for end in ends:
        end.close()


def test_messages_arrive_whole_and_in_order(pair):
    big = os.urandom(3_000_000)
    sender = threading.Thread(
        target=lambda: [
            frames.send(pair[0], {"n": 1, "text": "ä\n"}),
            frames.send(pair[0], {"n": 2}, b"ab", b"", b"c"),
            frames.send(pair[0], {"n": 3}, big, b"end"),
            pair[0].shutdown(socket.SHUT_WR),
        ]
    )
    sender.start()
    assert frames.receive(pair[1]) == ({"n": 1, "text": "ä\n"}, b"")
    assert frames.receive(pair[1]) == ({"n": 2}, b"abc")
    assert frames.receive(pair[1]) == ({"n": 3}, big + b"end")
    assert frames.receive(pair[1]) is None
    sender.join()


@pytest.mark.parametrize(
    ("junk", "complaint"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "does not speak this protocol"),
        (b"tph9" + bytes(8), "does not speak this protocol"),
        (b"tph1\xff\xff\xff\xff\0\0\0\0", "does not speak this protocol"),
        (b"tph1\0\0\0\0\xff\xff\xff\xff", "does not speak this protocol"),
        (b"tph1\0\0\0\1\0\0\0\0{", "no JSON"),
        (b"tph1\0\0\0\2\0\0\0\0[]", "no object"),
        (b"tph1\0\0", "ended within a message"),
        (b"tph1\0\0\0\2\0\0\0\5{}abc", "ended within a message"),
    ],
)
def test_junk_is_refused(pair, junk, complaint):
    pair[0].sendall(junk)
    pair[0].shutdown(socket.SHUT_WR)
    with pytest.raises(ConnectionError, match=complaint):
        frames.receive(pair[1])
