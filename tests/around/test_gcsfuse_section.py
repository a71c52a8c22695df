"""The section `gcsfuse`, and the command lines that it means."""

from __future__ import annotations

import pytest

from tpuherd.config.jobman import GcsfuseCache
from tpuherd.errors import ConfigError
from tpuherd.hooks import Hooks
from tpuherd.manager import make_plugin_manager
from tpuherd_gcsfuse.command import CACHE_FLAGS


def planned(job_factory, **section):
    mount = {"bucket_name": "lab", "mount_path": "/mnt/lab", **section}
    spec = job_factory.spec({"gcsfuse": mount, "command": {"cmd": "true"}})
    return [
        step.action for step in Hooks(make_plugin_manager(), spec).plan() if step.stage == "equip_workers"
    ]


def test_the_plan_shows_the_command(job_factory):
    assert planned(job_factory) == ["gcsfuse --implicit-dirs=true lab /mnt/lab"]
    cache = {"dir": "/mnt/ram", "file_cache_max_size_mb": 550000, "cache_file_for_range_read": True}
    extra = {"bucket_name": "two", "mount_path": "/mnt/two", "only_dir": "a b", "implicit_dirs": False}
    assert planned(
        job_factory, read_only=True, cache=cache, extra_mounts=[extra], options=["-o", "allow_other"]
    ) == [
        (
            "gcsfuse --implicit-dirs=true -o ro --cache-dir=/mnt/ram --file-cache-max-size-mb=550000 "
            "--file-cache-cache-file-for-range-read=true -o allow_other lab /mnt/lab"
        ),
        "gcsfuse --implicit-dirs=false '--only-dir=a b' two /mnt/two",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"bucket_name": "gs://lab"},
        {"bucket_name": "lab/folder"},
        {"mount_path": "/"},
        {"options": ["--foreground"]},
        {"only_dir": "-x"},
        {"extra_mounts": [{"bucket_name": "two", "mount_path": "/mnt/lab"}]},
        {"cache": {"file_cache_max_size_mb": 5}},
    ],
)
def test_wrong_sections_are_refused(job_factory, wrong):
    with pytest.raises(ConfigError, match="gcsfuse"):
        planned(job_factory, **wrong)


def test_every_key_of_the_cache_has_its_option():
    assert set(CACHE_FLAGS) | {"prefix"} == set(GcsfuseCache.model_fields)


def test_a_wrong_name_of_a_bucket_is_explained(job_factory):
    with pytest.raises(ConfigError, match=r"expected the name of a bucket, without gs://.*found 'gs://lab'"):
        planned(job_factory, bucket_name="gs://lab")
