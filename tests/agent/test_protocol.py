from __future__ import annotations

import json
import random
import struct

import pytest

from tpuherd.agent.answers import AgentProtocolError, Beat, LogChunk, Status, parse_status
from tpuherd.agent.protocol import FrameDecoder
from tpuherd_agent import frames
from tpuherd_agent.status import Status as WorkerStatus

RECORD = WorkerStatus("j.1", "exited", code=3, ended_at=2.5, log_size=7)._asdict()
STREAM = (
    frames.PREAMBLE
    + frames.frame(frames.LOG, frames.OFFSET.pack(5) + b"\0binary\xff")
    + frames.frame(frames.BEAT, frames.TIME.pack(1.25))
    + frames.frame(frames.LOG, frames.OFFSET.pack(13))
    + frames.frame(frames.STATUS, json.dumps(RECORD).encode())
)
FRAMES = [
    LogChunk(offset=5, data=b"\0binary\xff"),
    Beat(at=1.25),
    LogChunk(offset=13, data=b""),
    Status(attempt="j.1", state="exited", code=3, ended_at=2.5, log_size=7),
]


def decode(pieces):
    decoder = FrameDecoder()
    found = [frame for piece in pieces for frame in decoder.feed(piece)]
    decoder.finish()
    return decoder, found


@pytest.mark.parametrize("banner", [b"", b"Welcome!\n", b"L\0\0\0\1x" * 50, frames.PREAMBLE[:-1]])
def test_any_cut_gives_the_same_frames(banner):
    stream = banner + STREAM
    for size in (1, 2, 3, 7, len(stream)):
        decoder, found = decode(stream[i : i + size] for i in range(0, len(stream), size))
        assert found == FRAMES
        assert decoder.banner == banner


def test_random_cuts_give_the_same_frames():
    chance = random.Random(7)
    stream = b"banner\n" + STREAM * 1
    for _ in range(200):
        cuts = sorted(chance.choices(range(len(stream) + 1), k=5))
        pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
        assert decode(pieces)[1] == FRAMES


def test_bytes_that_were_fed_are_never_lost_if_the_frames_are_read_later():
    decoder = FrameDecoder()
    decoder.feed(STREAM[:30])
    decoder.feed(STREAM[30:60])
    assert list(decoder.feed(STREAM[60:])) == FRAMES


def test_no_agent_at_all():
    decoder = FrameDecoder()
    list(decoder.feed(b"python3: can't open file"))
    with pytest.raises(AgentProtocolError, match="can't open file"):
        decoder.finish()


def test_endless_junk_is_refused():
    decoder = FrameDecoder()
    with pytest.raises(AgentProtocolError, match="no agent"):
        list(decoder.feed(b"junk" * 20_000))


def test_a_stream_that_is_cut_off():
    decoder = FrameDecoder()
    assert list(decoder.feed(STREAM[:-1])) == FRAMES[:-1]
    with pytest.raises(AgentProtocolError, match="cut off"):
        decoder.finish()


@pytest.mark.parametrize("damage", [b"X\0\0\0\1a", b"L" + struct.pack(">I", 1 << 30)])
def test_damage_is_an_error_and_the_frames_before_it_count(damage):
    decoder = FrameDecoder()
    found = decoder.feed(STREAM + damage)
    assert [next(found) for _ in FRAMES] == FRAMES
    with pytest.raises(AgentProtocolError, match="damaged"):
        next(found)


def test_a_failure_frame_raises_its_text():
    decoder = FrameDecoder()
    failure = frames.frame(frames.FAILURE, json.dumps({"error": "offset 9 is beyond", "code": 66}).encode())
    with pytest.raises(AgentProtocolError, match="offset 9"):
        list(decoder.feed(frames.PREAMBLE + failure))


def test_a_status_is_read_behind_a_banner():
    assert parse_status(b"Welcome\nto w0\n" + json.dumps(RECORD).encode() + b"\n") == FRAMES[-1]


@pytest.mark.parametrize("output", [b"", b"{}", b"[1]", b"bash: python3: not found"])
def test_no_status(output):
    with pytest.raises(AgentProtocolError, match="no status"):
        parse_status(output)
