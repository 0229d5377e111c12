"""Signatures as receivers verify them, with the vector of the reference libraries.

The vector is that which the libraries of github.com/standard-webhooks/standard-webhooks share.
"""

from __future__ import annotations

from base64 import b64encode

import pytest

from samedeal_server.adapters.webhooks.signing import BadSecret, key_of, new_secret, signature

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_the_published_vector_is_met() -> None:
    assert (
        signature(
            SECRET,
            id="msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp=1_614_265_330,
            body=b'{"test": 2432232314}',
        )
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


@pytest.mark.parametrize("id", ["a.b", "", "a b", "ä", "x" * 129, "a\n"])
def test_an_id_that_would_make_the_signature_ambiguous_is_refused(id: str) -> None:
    with pytest.raises(ValueError, match="cannot be the id"):
        signature(SECRET, id=id, timestamp=1, body=b"")


def test_new_secrets_differ_and_have_256_bits() -> None:
    first, second = new_secret(), new_secret()
    assert first != second
    assert len(key_of(first)) == 32


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "whsec_",
        SECRET.removeprefix("whsec_"),
        "whsec_" + b64encode(b"x" * 23).decode(),
        "whsec_" + b64encode(b"x" * 65).decode(),
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaé=",
    ],
)
def test_what_is_no_secret_is_refused_and_not_repeated(secret: str) -> None:
    with pytest.raises(BadSecret) as refused:
        key_of(secret)
    assert not secret or secret == "whsec_" or secret not in str(refused.value)
