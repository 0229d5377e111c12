"""What the package offers is what it says, and importing it is cheap."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import samedeal_client
import samedeal_protocol

MODULES = [
    f"{package.__name__}.{module.name}"
    for package in (samedeal_client, samedeal_protocol)
    for module in pkgutil.iter_modules(package.__path__)
    if module.name != "__main__"
]


@pytest.mark.parametrize("name", [*MODULES, "samedeal_client"])
def test_every_public_name_is_there(name: str) -> None:
    module = importlib.import_module(name)
    for public in getattr(module, "__all__", ()):
        assert hasattr(module, public), public


def test_the_library_is_imported_without_its_network() -> None:
    code = "import samedeal_client, sys; print('websockets.asyncio.client' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_the_library_knows_no_server() -> None:
    code = (
        "import pkgutil, importlib, sys, samedeal_client as c\n"
        "for m in pkgutil.iter_modules(c.__path__):\n"
        "    if m.name != '__main__': importlib.import_module(f'samedeal_client.{m.name}')\n"
        "print(any(name.startswith('samedeal_server') for name in sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
