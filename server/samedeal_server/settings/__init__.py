"""What an operator can set, and where it is read from.

A setting comes from its flag, else from the environment, else from the TOML file named by
`--config`, else it has its default. Every setting is declared once, in `SETTINGS`; flags, help,
environment names and the file's keys follow from it. An unknown name or a bad value is refused
with one line that says what to do.

values    the settings as the server has them, with their defaults
texts     from text to value, and what is wanted instead
declared  each setting as people meet it: name, text, meaning, example
sources   flags, environment and file read together
"""

from __future__ import annotations

from samedeal_server.settings.declared import ENVIRONMENT, SETTINGS, Setting, default_of
from samedeal_server.settings.sources import gather
from samedeal_server.settings.values import Address, BadSettings, Broker, Settings

__all__ = [
    "ENVIRONMENT",
    "SETTINGS",
    "Address",
    "BadSettings",
    "Broker",
    "Setting",
    "Settings",
    "default_of",
    "gather",
]
