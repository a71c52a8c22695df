"""Plugins that are installed, broken, disabled, misspelt or doubled."""

from __future__ import annotations

import json

import pytest
from distributions import GOOD

from tpuherd import ExitCode, PluginError
from tpuherd.manager import list_plugins, make_plugin_manager


def loaded(manager):
    return {name for name, plugin in manager.list_name_plugin() if plugin is not None}


def test_an_installed_plugin_is_loaded_and_listed_with_its_origin(site):
    site.install("acme-tpu", "1.2", good=GOOD)

    manager = make_plugin_manager()

    (info,) = [info for info in list_plugins(manager) if info.name == "good"]
    assert (info.distribution, info.version, info.status) == ("acme-tpu", "1.2", "active")
    assert info.hooks == ("recover",)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import nope_not_there", "No module named 'nope_not_there'"),
        ("def (", "invalid syntax"),
        ("raise RuntimeError('boom')", "boom"),
        ("from tpuherd import hookimpl\n@hookimpl\ndef recover(job, mood): ...", "{'mood'}"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_named_with_distribution_and_version(site, source, reason):
    site.install("acme-tpu", "1.2", broken=source)

    with pytest.raises(PluginError) as caught:
        make_plugin_manager()

    text = str(caught.value)
    assert text.startswith("cannot load plugin 'broken' of acme-tpu 1.2: ")
    assert reason in text
    assert "TPUHERD_DISABLE_PLUGINS=broken" in text
    assert caught.value.__cause__ is not None


def test_a_disabled_plugin_is_not_even_imported(site, monkeypatch):
    site.install("acme-tpu", "1.2", good=GOOD, broken="import nope_not_there")
    monkeypatch.setenv("TPUHERD_DISABLE_PLUGINS", " broken , other")

    manager = make_plugin_manager()

    assert "good" in loaded(manager)
    (info,) = [info for info in list_plugins(manager) if info.name == "broken"]
    assert (info.distribution, info.version, info.status, info.hooks) == ("acme-tpu", "1.2", "disabled", ())


def test_a_disabled_built_in_plugin_is_gone(site, monkeypatch):
    monkeypatch.setenv("TPUHERD_DISABLE_PLUGINS", "give_up")
    assert "give_up" not in loaded(make_plugin_manager())


def test_a_function_that_is_no_hook_is_an_error_with_the_nearest_hook(site):
    site.install("acme-tpu", "1.2", typo="from tpuherd import hookimpl\n@hookimpl\ndef provison(job): ...")

    with pytest.raises(PluginError) as caught:
        make_plugin_manager()

    text = str(caught.value)
    assert "plugin 'typo' of acme-tpu 1.2 implements 'provison', which is no hook" in text
    assert "did you mean 'provision'?" in text
    assert "TPUHERD_DISABLE_PLUGINS=typo" in text


def test_two_distributions_cannot_have_plugins_of_one_name(site):
    site.install("acme-tpu", "1.2", give_up=GOOD)

    with pytest.raises(PluginError, match=r"plugin 'give_up' of acme-tpu 1\.2: .* of that name"):
        make_plugin_manager()


def test_one_distribution_that_is_found_twice_is_loaded_once(site, monkeypatch, tmp_path):
    site.install("acme-tpu", "1.2", good=GOOD)
    (tmp_path / "again").symlink_to(site.folder)
    monkeypatch.syspath_prepend(str(tmp_path / "again"))

    assert "good" in loaded(make_plugin_manager())


POLICIES = {"failover", "give_up", "rules", "tiered"}


def test_others_are_asked_before_built_in_plugins(site):
    site.install("acme-tpu", "1.2", aaa=GOOD)

    asked = [impl.plugin_name for impl in reversed(make_plugin_manager().hook.recover.get_hookimpls())]

    assert asked[0] == "aaa"
    assert set(asked[1:]) == POLICIES


def test_a_module_named_by_the_variable_is_a_plugin(site, monkeypatch):
    monkeypatch.setenv("TPUHERD_PLUGINS", site.module("loose", GOOD))
    assert "fake_loose" in loaded(make_plugin_manager())


def test_a_module_that_is_not_there_is_named_with_the_variable(site, monkeypatch):
    monkeypatch.setenv("TPUHERD_PLUGINS", "fake_nowhere")
    with pytest.raises(PluginError, match="'fake_nowhere' named by TPUHERD_PLUGINS: No module named"):
        make_plugin_manager()


def test_each_manager_is_fresh(site):
    first = make_plugin_manager()
    first.unregister(name="give_up")
    assert "give_up" in loaded(make_plugin_manager())


def test_every_command_says_which_plugin_is_broken(site, tpuherd_run, tpuherd_home):
    site.install("acme-tpu", "1.2", broken="import nope_not_there")

    done = tpuherd_run("plugins.list")

    assert done.exit_code == ExitCode.PLUGIN_ERROR
    assert "cannot load plugin 'broken' of acme-tpu 1.2: No module named 'nope_not_there'" in done.stderr
    assert "Traceback" not in done.stderr


def test_plugins_list_prints_json_and_filters_by_hook(site, tpuherd_run, monkeypatch):
    site.install("acme-tpu", "1.2", good=GOOD, off="import nope_not_there")
    monkeypatch.setenv("TPUHERD_DISABLE_PLUGINS", "off")

    everything = json.loads(tpuherd_run("plugins.list", "--json").stdout)
    recovering = json.loads(tpuherd_run("plugins.list", "--json", "--hook", "recover").stdout)

    by_name = {info["name"]: info for info in everything}
    assert by_name["good"] == {
        "name": "good",
        "distribution": "acme-tpu",
        "version": "1.2",
        "status": "active",
        "hooks": ["recover"],
    }
    assert by_name["off"]["status"] == "disabled"
    assert by_name["command"]["distribution"] == "tpuherd"
    assert {info["name"] for info in recovering} == {"good", *POLICIES}
