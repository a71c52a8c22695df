"""Which workers a command means."""

from __future__ import annotations

import pytest

from tpuherd.errors import ConfigError
from tpuherd.tasks.worker_choice import chosen


@pytest.mark.parametrize(
    ("words", "indices"),
    [
        ("all", (0, 1, 2, 3, 4, 5)),
        ("0", (0,)),
        ("w3", (3,)),
        ("0,3", (0, 3)),
        ("1-5", (1, 2, 3, 4, 5)),
        ("w1-w2", (1, 2)),
        ("3, 0 , 3", (0, 3)),
        ("0,2-3,3-4", (0, 2, 3, 4)),
        ("5-5", (5,)),
    ],
)
def test_a_choice(words, indices):
    assert chosen(words, 6) == indices


@pytest.mark.parametrize("words", ["6", "0,6", "4-6", "0-999999999"])
def test_a_worker_that_is_not_there(words):
    with pytest.raises(ConfigError, match="there is no worker 6: the job has 0 to 5"):
        chosen(words, 6)


@pytest.mark.parametrize("words", ["", "x", "-1", "1-", "3-1", "1;2", "0,,1", "ALL", "1 2"])
def test_what_is_no_choice(words):
    with pytest.raises(ConfigError, match="expected all, numbers from 0 to 5"):
        chosen(words, 6)
