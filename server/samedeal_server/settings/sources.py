"""Where settings are read from: flags, the environment, a file; the first that says one counts."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from samedeal_server.settings.declared import ENVIRONMENT, SETTINGS
from samedeal_server.settings.values import BadSettings, Settings

__all__ = ["gather"]

_BY_NAME: Final = {setting.name: setting for setting in SETTINGS}

_NOT_OURS: Final = re.compile("SAMEDEAL_(SOAK|TEST_.*|CLIENT_.*|URL|NAME|TOKEN|HOME|SERVER)")
"""The same prefix serves the client and the tests; their names are left alone."""


def gather(
    flags: Mapping[str, str], *, environment: Mapping[str, str], config: Path | None = None
) -> Settings:
    """Returns the settings; `flags` has the text of every flag that was given, by setting name.

    Raises `BadSettings`.
    """
    values: dict[str, object] = {}
    if config is not None:
        values |= _from_file(config)
    values |= _from_environment(environment)
    for name, text in flags.items():
        setting = _BY_NAME[name]
        values[name] = setting.read(text, source=setting.flag)
    settings = _settings(values)
    if settings.outbox_high > settings.outbox_limit:
        raise BadSettings("--outbox-high is above --outbox-limit; lower the one or raise the other")
    if settings.ping_ms >= settings.idle_timeout * 1000:
        raise BadSettings("--ping-ms is not below --idle-timeout; clients would be closed as idle")
    return settings


def _settings(values: Mapping[str, object]) -> Settings:
    # Every value was made by the parser of its own setting.
    return Settings(**values)  # type: ignore[arg-type]


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for variable, text in environment.items():
        if not variable.startswith(ENVIRONMENT):
            continue
        setting = _BY_NAME.get(variable.removeprefix(ENVIRONMENT).lower())
        if setting is not None and variable == setting.variable:
            values[setting.name] = setting.read(text, source=variable)
        elif variable != f"{ENVIRONMENT}CONFIG" and not _NOT_OURS.fullmatch(variable):
            raise BadSettings(
                f"the environment's {variable} is no setting{_nearest(variable, _variables())}"
            )
    return values


def _from_file(config: Path) -> dict[str, object]:
    try:
        table = tomllib.loads(config.read_text("utf-8"))
    except OSError as fault:
        raise BadSettings(
            f"{config} cannot be read ({fault.strerror}); name a TOML file with --config"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise BadSettings(f"{config} is no TOML file: {fault}") from None
    values: dict[str, object] = {}
    for key, given in table.items():
        setting = _BY_NAME.get(key.replace("-", "_"))
        source = f"{config}: {key}"
        if setting is None:
            raise BadSettings(f"{source} is no setting{_nearest(key, list(_BY_NAME))}")
        values[setting.name] = setting.read(_text(given, source), source=source)
    return values


def _text(given: object, source: str) -> str:
    match given:
        case bool() | dict():
            raise BadSettings(f"{source} must be a text, a number or a list of texts")
        case str():
            return given
        case int() | float():
            return f"{given}"
        case list() if all(isinstance(each, str) for each in given):
            return ",".join(given)
        case _:
            raise BadSettings(f"{source} must be a text, a number or a list of texts")


def _variables() -> list[str]:
    return [setting.variable for setting in SETTINGS]


def _nearest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return (
        f"; did you mean {near[0]}?" if near else "; `samedeal-server serve --help` lists them all"
    )
