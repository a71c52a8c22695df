"""Images that the workers build of a Dockerfile, with podman and runc; nothing is fetched."""

from __future__ import annotations

import pytest
from clouded import clouded
from containers import IMAGE, needs_podman, two_with_image

import tpuherd_docker as plugin
from tpuherd import PrepareError
from tpuherd.model.outcome import SyncedCode
from tpuherd.remote import RemoteWorkers
from tpuherd.remote.environment import command_in

pytestmark = [needs_podman, pytest.mark.slow]
NO_CODE = SyncedCode(kind="none", snapshot="", directory="")
SITE = "/usr/lib/python3.11/site-packages"
DOCKERFILE = f"""\
FROM {IMAGE} AS base
ARG WORD=none
COPY words /given/words
RUN echo "$WORD" > /built && mkdir -p {SITE}/thing-1.5.dist-info
FROM base AS rest
RUN echo never-reached; exit 3
"""


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TPUHERD_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="module")
def cloud(podman, tmp_path_factory):
    with clouded(tmp_path_factory.mktemp("build")) as made:
        (made.directory / "image" / "bin" / "podman").symlink_to(podman.program)
        yield made


@pytest.fixture(scope="module")
def held(cloud, podman, tmp_path_factory):
    """Two workers that have the image from which others are built."""
    return two_with_image(cloud, podman, tmp_path_factory.mktemp("image"))


@pytest.fixture
def make(cloud):
    context = cloud.folder / "context"
    context.mkdir(exist_ok=True)
    (context / "Dockerfile").write_text(DOCKERFILE)
    (context / "words").write_text("from the context\n")

    def built_job(dockerfile="context/Dockerfile", **build):
        settings = {"dockerfile": dockerfile, "target": "base", "flags": ["--network=host"], **build}
        section = {"runtime": "podman", "build": settings}
        return cloud.job({"docker": section}, job={"env_type": "docker"}, job_id="build-0001")

    return built_job


def said(job, held, script):
    line = command_in(plugin.prepare_env(job, held), NO_CODE, script)
    done = job.session.workers(held, job.cloud.ssh).run(line, timeout_s=60)
    assert not done.failed, done.summary()
    return [result.stdout.strip() for result in done.results]


def folders(cloud, held):
    return [
        sorted(path.name for path in (cloud.home(worker) / ".tpuherd" / "containers").glob("*/"))
        for worker in held.workers
    ]


def test_every_worker_builds_it_and_the_second_call_only_looks(cloud, held, make, podman, monkeypatch):
    job = make(args={"WORD": "of the job file"})
    made = plugin.prepare_env(job, held)
    assert made.versions == {"runtime": "podman", "thing": "1.5"}
    assert said(job, held, "cat /built /given/words") == ["of the job file\nfrom the context"] * 2

    sent = []
    original = RemoteWorkers.run_each
    monkeypatch.setattr(
        RemoteWorkers, "run_each", lambda *words, **more: sent.append(1) or original(*words, **more)
    )
    images = [podman("images", "--quiet", "--all", home=cloud.home(worker)) for worker in held.workers]
    assert plugin.prepare_env(job, held) == made
    assert len(sent) == 1, "the second call is one round trip"
    assert images == [podman("images", "--quiet", "--all", home=cloud.home(w)) for w in held.workers]


def test_another_context_is_another_image(cloud, held, make):
    before = plugin.prepare_env(make(), held).key
    (cloud.folder / "context" / "words").write_text("changed\n")
    assert said(make(), held, "cat /given/words") == ["changed"] * 2
    assert plugin.prepare_env(make(), held).key != before
    assert plugin.prepare_env(make(args={"WORD": "x"}), held).key != before


def test_an_image_that_is_gone_is_built_again(cloud, held, make, podman):
    made = plugin.prepare_env(make(), held)
    worker = cloud.home(held.workers[1])
    podman("rmi", "--force", f"localhost/tpuherd-build:{made.key}", home=worker)
    assert said(make(), held, "cat /built") == ["none"] * 2
    assert podman("images", "--quiet", f"localhost/tpuherd-build:{made.key}", home=worker)


def test_a_step_that_fails_is_named_with_what_it_said_and_nothing_is_left(cloud, held, make, podman):
    before = folders(cloud, held)
    failing = (
        r"\(docker\.build\) fails at \[?.*RUN echo never-reached; exit 3: .*never-reached.*exit status 3"
    )
    with pytest.raises(PrepareError, match=rf"0 of 2 workers succeeded; w0: Dockerfile {failing}; w1:"):
        plugin.prepare_env(make(target="rest"), held)
    assert folders(cloud, held) == before
    assert [podman.running(cloud.home(worker)) for worker in held.workers] == [[], []]


def test_a_dockerfile_that_is_none(cloud, held, make):
    (cloud.folder / "context" / "Wrong").write_text(f"FROM {IMAGE}\nCOPIE a b\n")
    with pytest.raises(
        PrepareError, match=r"w1: Wrong \(docker\.build\) fails at STEP 2/2: COPIE a b: .*COPIE"
    ):
        plugin.prepare_env(make(dockerfile="context/Wrong", target=""), held)


def test_images_with_different_content_are_named(cloud, held, make):
    """What one worker got of the network may differ from what another one got."""
    text = f"FROM {IMAGE}\nRUN mkdir -p {SITE}/part-1.$(hostname).dist-info\n"
    (cloud.folder / "context" / "Differs").write_text(text)
    flags = ["--network=host", "--uts=host"]
    with pytest.raises(PrepareError, match=r"different versions of part: w0 1\.\S+-w-0, w1 1\.\S+-w-1"):
        plugin.prepare_env(make(dockerfile="context/Differs", target="", flags=flags), held)
