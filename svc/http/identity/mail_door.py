"""The doors for what is done by mailed links: a new password, and the proof of an address.

Where no mail server is configured, they answer 404.
"""

import msgspec
from quart import Response

from svc.http.identity.exchange import PersonDoor, no_content, read_body
from svc.services.identity import mailed_links


class Email(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/password-reset`, and `POST /app/api/address` with the new one."""

    email: str


class Reset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/reset`: the token of the mailed link, and the new password."""

    token: str
    password: str


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/prove`: the token of the mailed link."""

    token: str


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/address-proof`."""


class MailDoor(PersonDoor):
    """The views."""

    async def ask_reset(self) -> Response:
        """Answer 204, whether or not there is such an account, and whether or not a mail is sent."""
        body = await read_body(Email)
        self._check_origin()
        await mailed_links.ask_reset(self._system, body.email, self._browser().address)
        return no_content()

    async def reset(self) -> Response:
        """Answer 204: the password is set, all sessions have ended, and the address is proven."""
        body = await read_body(Reset)
        self._check_origin()
        await mailed_links.reset(self._system, body.token, body.password)
        return no_content()

    async def ask_proof(self) -> Response:
        """Answer 204: a link was mailed to the address of the signed-in person."""
        token = self._guarded_token()
        await read_body(Nothing)
        await mailed_links.ask_proof(self._system, token, self._browser().address)
        return no_content()

    async def ask_address(self) -> Response:
        """Answer 204: a link was mailed to the address, which becomes the signed-in person's by it."""
        token = self._guarded_token()
        body = await read_body(Email)
        await mailed_links.ask_address(self._system, token, body.email, self._browser().address)
        return no_content()

    async def prove(self) -> Response:
        """Answer 204: the address is proven, or is the account's now.

        It needs no session, since mail may be read elsewhere.
        """
        body = await read_body(Proof)
        self._check_origin()
        await mailed_links.prove(self._system, body.token)
        return no_content()
