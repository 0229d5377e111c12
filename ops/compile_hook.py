"""The build hook of compiled wheels: hot modules become extensions, by mypyc.

Hatchling calls it when `HATCH_BUILD_HOOK_ENABLE_CUSTOM=1` is set. It does nothing for an editable
install, where a compiled module would win over the source that somebody edits. Which modules are
compiled, pyproject.toml says.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

__all__ = ["CompiledModules", "missing"]

_GROUP = "samedeal"
"""The shared library that holds all the code is called `samedeal__mypyc`."""


def missing() -> str:
    """Returns one line on what has to be installed before anything can be compiled, or ""."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if not shutil.which(compiler):
        return f"no C compiler is called {compiler}; on Debian: apt-get install gcc libc6-dev"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "the headers of this Python are missing; on Debian: apt-get install python3-dev"
    return ""


class CompiledModules(BuildHookInterface[BuilderConfig]):
    """Puts the extensions beside their sources, in the wheel only."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles, and adds what came of it to the wheel; raises what the compilers raise."""
        if version == "editable":
            return
        if complaint := missing():
            self.app.abort(f"Cannot compile: {complaint}")
        self._folder = TemporaryDirectory(prefix="samedeal-compile-")
        folder = Path(self._folder.name)
        for source in map(Path, self.build_config.packages):
            shutil.copytree(Path(self.root, source), folder / source.name)
        for extension in _compiled(folder, self.config["modules"]):
            build_data["force_include"][str(extension)] = str(extension.relative_to(folder / "lib"))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()


def _compiled(folder: Path, modules: list[str]) -> list[Path]:
    """Compiles modules of the packages in a folder; returns the extensions, below its `lib`."""
    # Here, because only a compiled build has them.
    from mypyc.build import mypycify
    from setuptools import setup

    files = [module.replace(".", "/") + ".py" for module in modules]
    with chdir(folder):
        setup(
            name=_GROUP,
            packages=[],
            ext_modules=mypycify(  # pyright: ignore[reportArgumentType] (has stubs of its own)
                ["--config-file=", *files], opt_level="3", debug_level="0", group_name=_GROUP
            ),
            script_args=["--quiet", "build_ext", "--build-lib", "lib"],
        )
    return sorted(path for path in (folder / "lib").rglob("*") if path.is_file())
