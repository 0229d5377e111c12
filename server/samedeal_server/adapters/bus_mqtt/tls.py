"""Our side of TLS with a broker: whom we believe, who we say we are."""

from __future__ import annotations

import ssl

from samedeal_server.settings import BadSettings, Broker

__all__ = ["context"]


class _Socket(ssl.SSLSocket):
    """Closes itself when the handshake fails, which paho leaves to chance."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def context(broker: Broker) -> ssl.SSLContext | None:
    """Returns what connections are made with; None without TLS.

    Raises `BadSettings` when a file cannot be read, or is no certificate or key.
    """
    if not broker.is_tls:
        return None
    try:
        made = ssl.create_default_context(cafile=broker.ca)
        if broker.cert is not None:
            made.load_cert_chain(broker.cert, broker.key)
    except (OSError, ssl.SSLError) as fault:
        reason = fault.strerror or str(fault)
        raise BadSettings(f"--bus: ca, cert or key cannot be read ({reason})") from None
    made.sslsocket_class = _Socket
    return made
