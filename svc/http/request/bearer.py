"""Bearer tokens in the header `Authorization` (RFC 6750 section 2.1)."""

from svc.http.fast_path import Request


def bearer_token(request: Request) -> str | None:
    """The bearer token of *request*; None where none was sent.

    Several `Authorization` headers are joined by commas, and so make a token that is no key's.
    """
    return token_of(request.text("authorization"))


def token_of(authorization: str | None) -> str | None:
    """The token of `Bearer <token>`, whose scheme is case-insensitive (RFC 9110 section 11.1)."""
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip(" ") if scheme.lower() == "bearer" else None
