"""Writes who may do what at a Mosquitto: access rules, and passwords or certificates.

    python ops/mosquitto/access.py DIR node-a node-b
    python ops/mosquitto/access.py DIR --host broker.example.org node-a node-b

Each node may speak in its own name only, and reads nobody else's inbox. `spectator` reads what is
public, as do strangers where the broker lets them in; `monitor` reads the broker's own figures.
What each is to give to samedeal-server as its bus is written to DIR/NODE.url. With --host, the
broker's name, there are certificates for all of them, of an authority that is kept in DIR/ca.key;
without, passwords.

Needs openssl for certificates, mosquitto_passwd for passwords.
"""

from __future__ import annotations

import argparse
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from samedeal_protocol.topics import ROOT, TOPICS

READERS = ("spectator", "monitor")
DAYS = "825"


def rules(nodes: Sequence[str]) -> str:
    """Returns the text of an acl_file."""
    public = [f"topic read {each.pattern}" for each in TOPICS if each.is_public]
    parts = [
        "# Written by ops/mosquitto/access.py.",
        "# No `pattern` lines here: they would be for everybody, strangers too.",
        "\n".join(("# Strangers.", *public)),
        "\n".join(("user spectator", *public)),
        "user monitor\ntopic read $SYS/#",
        *("\n".join((f"user {node}", *_rights(node))) for node in nodes),
    ]
    return "\n\n".join(parts) + "\n"


def write_rules(folder: Path, nodes: Sequence[str]) -> None:
    """Writes DIR/acl, for its owner alone: brokers to come refuse one that everybody can read."""
    file = folder / "acl"
    file.touch()
    file.chmod(0o600)
    file.write_text(rules(nodes), "utf-8")


def _rights(node: str) -> Iterator[str]:
    """Yields what a node may do: speak in its name, and hear what is for all or for it."""
    for topic in TOPICS:
        heard = _filled(topic.path, to=node)
        said = _filled(topic.path, node=node)
        if heard == said:
            yield f"topic readwrite {ROOT}/{said}"
        else:
            yield f"topic read {ROOT}/{heard}"
            yield f"topic write {ROOT}/{said}"


def _filled(path: str, **levels: str) -> str:
    return re.sub(r"{([a-z]+)}", lambda found: levels.get(found[1], "+"), path)


def write_passwords(folder: Path, users: Sequence[str]) -> dict[str, str]:
    """Writes DIR/passwd, in which passwords are hashed; returns the passwords."""
    passwords = {user: secrets.token_urlsafe(18) for user in users}
    file = folder / "passwd"
    file.touch(mode=0o600)
    file.write_text("".join(f"{user}:{word}\n" for user, word in passwords.items()), "utf-8")
    subprocess.run(["mosquitto_passwd", "-U", str(file)], check=True)
    return passwords


def write_certificates(folder: Path, host: str, users: Sequence[str]) -> None:
    """Writes an authority, the broker's certificate and one for each user."""
    _openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", f"{folder}/ca.key", "-out", f"{folder}/ca.pem", "-days", DAYS,
        "-subj", "/CN=samedeal bus",
    )  # fmt: skip
    kind = "IP" if re.fullmatch(r"[0-9.]+|.*:.*", host) else "DNS"
    _certificate(folder, "server", host, f"subjectAltName={kind}:{host}")
    for user in users:
        _certificate(folder, user, user, "extendedKeyUsage=clientAuth")


def _certificate(folder: Path, file: str, name: str, extension: str) -> None:
    request = folder / f"{file}.csr"
    extensions = folder / f"{file}.ext"
    extensions.write_text(extension, "utf-8")
    _openssl(
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", f"{folder}/{file}.key", "-out", str(request), "-subj", f"/CN={name}",
    )  # fmt: skip
    _openssl(
        "x509", "-req", "-in", str(request), "-days", DAYS, "-extfile", str(extensions),
        "-CA", f"{folder}/ca.pem", "-CAkey", f"{folder}/ca.key", "-CAcreateserial",
        "-out", f"{folder}/{file}.pem",
    )  # fmt: skip
    request.unlink()
    extensions.unlink()


def _openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("nodes", nargs="*", metavar="NODE", help="the names of nodes")
    parser.add_argument("--host", help="the broker's name: makes certificates for it and all")
    parser.add_argument("--rules", action="store_true", help="write the access rules only")
    asked = parser.parse_intermixed_args()
    if bad := [node for node in asked.nodes if not re.fullmatch("[A-Za-z0-9_-]{1,32}", node)]:
        parser.error(f"{bad[0]} is no name of a node: letters, digits, - and _, up to 32")
    folder: Path = asked.folder
    folder.mkdir(parents=True, exist_ok=True)
    write_rules(folder, asked.nodes)
    if asked.rules:
        return 0
    users = (*asked.nodes, *READERS)
    if asked.host:
        write_certificates(folder, asked.host, users)
        files = f"ca={folder}/ca.pem&cert={folder}/{{0}}.pem&key={folder}/{{0}}.key"
        urls = {user: f"mqtts://{asked.host}:8883?{files.format(user)}" for user in users}
    else:
        passwords = write_passwords(folder, users)
        urls = {user: f"mqtt://{user}:{word}@127.0.0.1:1883" for user, word in passwords.items()}
    for user, address in urls.items():
        url = folder / f"{user}.url"
        url.touch(mode=0o600)
        url.write_text(f"{address}\n", "utf-8")
        print(f"wrote {url}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
