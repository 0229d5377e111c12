"""Makes the compiled build: `.compiled`, a folder to be put first on PYTHONPATH (`make compiled`).

It is what a compiled wheel holds, unpacked. Beside each extension lies the source that it was made
of, so that everybody can tell whether the build is current; the working tree itself never holds an
extension, which would win over the source that somebody edits.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from compile_hook import missing

__all__ = ["SITE", "is_current", "make"]

ROOT = Path(__file__).parent.parent
SITE = ROOT / ".compiled"
_WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"][
    "targets"
]["wheel"]
_PACKAGES: list[str] = _WHEEL["packages"]
_MODULES: list[str] = _WHEEL["hooks"]["custom"]["modules"]
_NEEDED = (*_PACKAGES, "ops/compile_hook.py", "pyproject.toml", "README.md", "LICENSE")


def is_current(site: Path = SITE) -> bool:
    """Tells whether the build is of the sources as they are, and for this Python."""
    ours = {
        str(source.relative_to(ROOT / package.parent)): source
        for package in map(Path, _PACKAGES)
        for source in (ROOT / package).rglob("*.py")
    }
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    extensions = {module.replace(".", "/") + suffix for module in _MODULES}
    return (
        ours.keys() == _names(site, ".py")
        and extensions == _names(site, suffix)
        and all(filecmp.cmp(source, site / name, shallow=False) for name, source in ours.items())
    )


def _names(site: Path, suffix: str) -> set[str]:
    """Returns the files of the packages that end so."""
    packages = (Path(package).name for package in _PACKAGES)
    return {
        str(path.relative_to(site))
        for package in packages
        for path in (site / package).rglob(f"*{suffix}")
    }


def make(site: Path) -> None:
    """Compiles the sources as they are now; raises `CalledProcessError` if that fails."""
    with TemporaryDirectory(prefix="samedeal-overlay-") as folder:
        tree, wheels = Path(folder, "tree"), Path(folder, "wheels")
        for name in _NEEDED:  # a copy, because sources are edited while this takes its time
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / name, tree / name)
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)],
            cwd=tree,
            env={**os.environ, "HATCH_BUILD_HOOK_ENABLE_CUSTOM": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        (wheel,) = wheels.iterdir()
        shutil.rmtree(site, ignore_errors=True)
        shutil.unpack_archive(wheel, site, "zip")


def main() -> None:
    parser = argparse.ArgumentParser(prog="overlay", description=__doc__)
    parser.add_argument("site", nargs="?", type=Path, default=SITE, help="where to put it")
    site = parser.parse_args().site
    if is_current(site):
        print(f"{site.name} is of the sources as they are")
    elif complaint := missing():
        sys.exit(f"Cannot compile: {complaint}")
    else:
        print(f"Compiling {len(_MODULES)} modules (three minutes or more) ...", flush=True)
        try:
            make(site)
        except subprocess.CalledProcessError as failed:
            sys.exit(f"{failed.output}\nThe compiled build failed")
        print(f"To use it: PYTHONPATH={site.name} .venv/bin/samedeal-server serve ...")


if __name__ == "__main__":
    main()
