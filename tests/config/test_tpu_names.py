from __future__ import annotations

import re
import string
from random import Random

import pytest

from tpuherd.cloud.placement import Placement
from tpuherd.config.naming import FIELDS, LONGEST, check_template, has_index, name_from, shown_name

HERE = Placement(zone="us-central2-b", accelerator="v5litepod-16")
FLEET = "tpu-{region}-{zone_letter}-{index}"


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("{user}-{job}", "anna-b-run-1"),
        (FLEET, "tpu-us-central2-b-7"),
        ("{accelerator}-in-{zone}", "v5litepod-16-in-us-central2-b"),
        ("mine", "mine"),
        ("{index}", "t-7"),
    ],
)
def test_names(template, name):
    check_template(template)
    assert name_from(template, "Anna.B", "run_1", HERE, 7) == name


def test_a_long_name_loses_the_front_of_the_job_and_keeps_its_random_end_and_the_rest():
    name = name_from("{user}-{job}-{index}", "anna", "x" * 80 + "-4f3a", HERE, 12)
    assert name.startswith("anna-x")
    assert name.endswith("-4f3a-12")
    assert len(name) == LONGEST
    assert len(name_from("{user}-{job}", "u" * 80, "j" * 80, HERE)) <= LONGEST


def test_a_shorter_limit_keeps_the_random_end_too():
    assert name_from("{user}-{job}", "anna", "pretraining-4f3a", HERE, longest=14) == "anna-ning-4f3a"


def test_an_index_is_needed_where_the_template_has_one():
    assert has_index(FLEET)
    assert not has_index("{user}")
    with pytest.raises(ValueError, match="needs an index"):
        name_from(FLEET, "a", "b", HERE)


def test_what_is_not_known_yet_is_shown_as_such():
    assert shown_name("{user}-{job}", "Anna", "run", HERE) == "anna-run-…"
    assert shown_name(FLEET, "Anna", "run", HERE) == "tpu-us-central2-b-…"


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{usr}", "{usr} is unknown in a name; did you mean 'user'? valid: user, job, region"),
        ("{user.x}", "{user.x} is unknown"),
        ("{user!r}", "{user} takes no format in a name: write {user} alone"),
        ("{index:03d}", "{index} takes no format"),
        ("{0}", "{0} is unknown"),
        ("", "a name cannot be empty"),
        ("{user", "is no template: "),
        ("My_TPU", "'My_TPU' is no name for a TPU: lower-case letters"),
        ("My_TPU", "hyphen last; write for example my-tpu"),
        ("7up-{job}", "write for example t-7up-{job}"),
        ("-{job}", "write for example {job}"),
        ("{job}-", "write for example {job}"),
        ("tpü", "is no name for a TPU"),
        ("x" * 60, "is too long: 43 characters at most, without its fields"),
        ("{zone}-{zone}-{index}", "is too long: its {index} would be cut off; leave something out"),
    ],
)
def test_templates_whose_names_the_api_would_refuse(template, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        check_template(template)


def made_up(dice):
    """A template, a user and a job of all kinds of letters."""
    letters = string.ascii_lowercase + string.digits + "--"
    pieces = [f"{{{field}}}" for field in FIELDS] + ["".join(dice.choices(letters, k=dice.randint(0, 12)))]
    odd = string.printable + "äß…"
    words = ["".join(dice.choices(odd, k=dice.randint(0, 90))) for _ in range(2)]
    return "".join(dice.choices(pieces, k=dice.randint(1, 8))), *words


def is_accepted(template):
    try:
        check_template(template)
    except ValueError:
        return False
    return True


def test_every_name_of_an_accepted_template_is_one_that_the_api_accepts():
    dice = Random(1)
    accepted = 0
    for index in range(2000):
        template, user, job = made_up(dice)
        if is_accepted(template):
            accepted += 1
            name = name_from(template, user, job, HERE, index)
            assert re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", name), (template, user, job)
            assert len(name) <= LONGEST
            assert str(index) in name or not has_index(template)
    assert accepted > 200
