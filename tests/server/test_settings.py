"""Settings: where they come from, and what is refused with which line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from samedeal_server.settings import (
    SETTINGS,
    Address,
    BadSettings,
    Broker,
    Setting,
    Settings,
    default_of,
    gather,
)

NOWHERE: dict[str, str] = {}


def config(folder: Path, text: str) -> Path:
    file = folder / "samedeal.toml"
    file.write_text(text, "utf-8")
    return file


def refusal(flags: dict[str, str], environment: dict[str, str], file: Path | None = None) -> str:
    with pytest.raises(BadSettings) as caught:
        gather(flags, environment=environment, config=file)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_every_setting_is_declared_and_has_a_default() -> None:
    assert [setting.name for setting in SETTINGS] == [field.name for field in fields(Settings)]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_example_can_be_typed(setting: Setting) -> None:
    setting.read(setting.example, source=setting.flag)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_default_is_a_value_of_its_setting(setting: Setting) -> None:
    default = default_of(setting)
    text = "" if default in (None, ()) else str(default)
    assert setting.read(text, source=setting.flag) == default


def test_nothing_set_gives_the_defaults() -> None:
    assert gather({}, environment=NOWHERE) == Settings()


def test_a_flag_beats_the_environment_and_that_the_file(tmp_path: Path) -> None:
    file = config(tmp_path, 'drain = 1\nburst = 2\nlisten = "h:3"\n')
    settings = gather(
        {"drain": "5"}, environment={"SAMEDEAL_DRAIN": "4", "SAMEDEAL_BURST": "6"}, config=file
    )
    assert (settings.drain, settings.burst, settings.listen) == (5.0, 6, Address("h", 3))


def test_a_file_may_use_hyphens_numbers_and_lists(tmp_path: Path) -> None:
    file = config(tmp_path, 'races-per-player = 3\norigins = ["https://a.org", "https://b.org/"]\n')
    settings = gather({}, environment=NOWHERE, config=file)
    assert settings.races_per_player == 3
    assert settings.origins == ("https://a.org", "https://b.org")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8642", Address("127.0.0.1", 8642)),
        ("localhost:0", Address("localhost", 0)),
        ("[::1]:65535", Address("::1", 65535)),
    ],
)
def test_an_address_is_read_and_shown_alike(text: str, address: Address) -> None:
    assert gather({"listen": text}, environment=NOWHERE).listen == address
    assert str(address) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("listen", "8642"),
        ("listen", "localhost"),
        ("listen", "localhost:65536"),
        ("listen", "localhost:-1"),
        ("listen", "::1:8642"),
        ("listen", ":8642"),
        ("metrics_listen", "0.0.0.0:8643"),
        ("metrics_listen", "example.org:8643"),
        ("drain", "-1"),
        ("drain", "soon"),
        ("drain", "nan"),
        ("drain", "inf"),
        ("burst", "1.5"),
        ("burst", "0"),
        ("burst", "1" * 30),
        ("frame_bytes", "10"),
        ("transport", "quick"),
        ("log_level", "loud"),
        ("origins", "play.example.org"),
        ("origins", "https://a.org/path"),
        ("address_header", "X Forwarded For"),
        ("data", " "),
    ],
)
def test_a_bad_value_is_refused_with_what_is_wanted(name: str, text: str) -> None:
    flag = "--" + name.replace("_", "-")
    assert refusal({name: text}, NOWHERE).startswith(f"{flag}: {text!r} is not ")


@pytest.mark.parametrize("text", ["off", ""])
def test_what_can_be_off_is_off(text: str) -> None:
    settings = gather({"metrics_listen": text, "address_header": text}, environment=NOWHERE)
    assert (settings.metrics_listen, settings.address_header) == (None, None)


def test_a_bad_value_in_the_environment_names_the_variable() -> None:
    sentence = refusal({}, {"SAMEDEAL_DRAIN": "soon"})
    assert sentence == "SAMEDEAL_DRAIN: 'soon' is not a number from 0 to 86400"


def test_an_unknown_variable_is_refused_with_the_nearest() -> None:
    sentence = refusal({}, {"SAMEDEAL_LISTN": "x"})
    assert (
        sentence == "the environment's SAMEDEAL_LISTN is no setting; did you mean SAMEDEAL_LISTEN?"
    )


@pytest.mark.parametrize(
    "variable", ["SAMEDEAL_SOAK", "SAMEDEAL_SERVER", "SAMEDEAL_NAME", "SAMEDEAL_HOME", "PATH"]
)
def test_variables_of_the_client_and_the_tests_are_left_alone(variable: str) -> None:
    assert gather({}, environment={variable: "x"}) == Settings()


def test_an_unknown_key_in_the_file_is_refused(tmp_path: Path) -> None:
    file = config(tmp_path, "drian = 3\n")
    assert refusal({}, NOWHERE, file) == f"{file}: drian is no setting; did you mean drain?"
    file = config(tmp_path, "xyzzy = 3\n")
    assert refusal({}, NOWHERE, file).endswith("`samedeal-server serve --help` lists them all")


@pytest.mark.parametrize("text", ["drain = true", "drain = [1, 2]", "[drain]\nseconds = 3"])
def test_a_key_of_a_wrong_kind_is_refused(tmp_path: Path, text: str) -> None:
    file = config(tmp_path, text)
    assert refusal({}, NOWHERE, file).startswith(f"{file}: drain")


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    file = config(tmp_path, "drain: 3\n")
    assert refusal({}, NOWHERE, file).startswith(f"{file} is no TOML file: ")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.toml"
    assert refusal({}, NOWHERE, file) == (
        f"{file} cannot be read (No such file or directory); name a TOML file with --config"
    )


def test_settings_that_contradict_each_other_are_refused() -> None:
    assert "--outbox-high" in refusal({"outbox_high": "2000", "outbox_limit": "1999"}, NOWHERE)
    assert "--ping-ms" in refusal({"ping_ms": "5000", "idle_timeout": "5"}, NOWHERE)


# --- the bus -----------------------------------------------------------------------------------


def broker(url: str) -> Broker:
    bus = gather({"bus": url}, environment=NOWHERE).bus
    assert isinstance(bus, Broker)
    return bus


def test_a_broker_is_named_by_a_url() -> None:
    at = broker("mqtt://node-a:se%40cret@h:1")
    assert at == Broker(at=Address("h", 1), user="node-a", password="se@cret")


def test_a_broker_has_the_usual_ports() -> None:
    assert broker("mqtt://h").at == Address("h", 1883)
    assert broker("mqtts://[::1]").at == Address("::1", 8883)


def test_a_broker_may_ask_for_certificates() -> None:
    at = broker("mqtts://h?ca=/a&cert=/b&key=/c&version=3.1.1")
    assert (at.ca, at.cert, at.key) == (Path("/a"), Path("/b"), Path("/c"))
    assert (at.is_tls, at.version) == (True, "3.1.1")


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("http://u:secret@h:1883", "local, mqtt://USER:PASSWORD@HOST:PORT, or the same with mqtts"),
        ("mqt://u:secret@h", "local, mqtt://USER:PASSWORD@HOST:PORT, or the same with mqtts"),
        ("mqtt://u:secret@h:x", "local, mqtt://USER:PASSWORD@HOST:PORT, or the same with mqtts"),
        ("mqtt://u:secret@", "local, mqtt://USER:PASSWORD@HOST:PORT, or the same with mqtts"),
        ("mqtt://u:secret@h/x", "local, mqtt://USER:PASSWORD@HOST:PORT, or the same with mqtts"),
        ("mqtt://u:secret@h?ca=/a", "mqtts://, as ca, cert and key ask for"),
        ("mqtts://u:secret@h?cert=/a", "a URL with both of cert and key"),
        ("mqtt://u:secret@h?qos=1", "a URL with ?version=auto|5|3.1.1, ca, cert and key only"),
        ("mqtt://u:secret@h?version=4", "a URL with ?version=auto|5|3.1.1, ca, cert and key only"),
    ],
)
def test_what_is_no_broker_is_refused_without_its_password(url: str, wanted: str) -> None:
    assert refusal({"bus": url}, NOWHERE) == f"--bus: what is given is not {wanted}"


def test_a_broker_shows_no_password() -> None:
    at = broker("mqtt://node-a:secret@h:1")
    assert str(at) == "mqtt://node-a@h:1"
    assert "secret" not in repr(at)


def test_a_nodes_name_is_a_word() -> None:
    assert gather({"node": "node-a_1"}, environment=NOWHERE).node == "node-a_1"
    assert "is not a name" in refusal({"node": "a/b"}, NOWHERE)
