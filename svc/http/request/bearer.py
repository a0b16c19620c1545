"""Bearer tokens: the key in the header `Authorization`."""

from svc.http.fast_path import Request


def bearer_token(request: Request) -> str | None:
    """The token of `Authorization: Bearer <token>`, whose scheme has no case (RFC 9110 section 11.1).

    Several such headers are one that is no key's. None where nothing of the kind was sent.
    """
    scheme, _, token = (request.text("authorization") or "").partition(" ")
    return token.strip(" ") if scheme.lower() == "bearer" else None
