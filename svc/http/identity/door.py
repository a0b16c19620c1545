"""The doors for people: signing in and out, invitations, and confirming a password.

Writes take JSON alone, which a page of another site cannot send without a CORS preflight, and with a
session its `X-CSRF-Token` too.
"""

from http import HTTPStatus

import msgspec
from quart import Blueprint, Response

from svc.actors.system import System
from svc.domain.errors import DomainError
from svc.domain.identity.limits import KNOWN_BROWSER_LIFE_MS, SESSION_LIFE_MS
from svc.domain.identity.sessions import csrf_token
from svc.domain.locale.times import SECOND_MS
from svc.http.grants.consent_door import ConsentDoor
from svc.http.identity.answers import session_answer, sessions_answer
from svc.http.identity.exchange import PersonDoor, json_answer, no_content, no_store, read_body
from svc.http.identity.link_door import LinkDoor
from svc.http.identity.mail_door import MailDoor
from svc.http.problems.problems import as_response, problem_for
from svc.http.quart_app import current_request
from svc.http.request.session_cookie import BROWSER_COOKIE, CHALLENGE, SESSION_COOKIE, cookie_name
from svc.http.request.transport import Transport
from svc.services.identity import first_owner, own_accounts, sign_in
from svc.services.identity.first_owner import FirstOwner
from svc.services.identity.sign_in import SignedIn


class SignIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/sign-in`. `organization` is the home of the account, where several have the address."""

    email: str
    password: str
    organization: str | None = None


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/sign-in-link`: what `svc user link` printed. `POST /app/api/accept`: an invitation's."""

    token: str


class SignUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/sign-up`: an invitation's token, and the account to make."""

    token: str
    name: str
    password: str


class SetUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """`POST /app/api/first-owner`: what `svc run` printed, the organization to make, and its owner."""

    token: str
    organization: str
    name: str
    email: str
    password: str
    time_zone: str = "UTC"


class Password(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/confirm`, and `POST /app/api/password` with a new one."""

    password: str


class Name(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/profile`."""

    name: str


class SessionChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/sessions/revoke`: the id of one of the person's sessions, or `others`."""

    id: str


def people_doors(system: System, transport: Transport) -> Blueprint:
    """The blueprint of everything under `/app/api/` except tools."""
    doors = Blueprint("people", __name__, url_prefix="/app/api")
    door = _PeopleDoor(system, transport)
    doors.add_url_rule("/sign-in", "sign_in", door.sign_in, methods=["POST"])
    doors.add_url_rule("/sign-in-link", "sign_in_link", door.sign_in_by_link, methods=["POST"])
    doors.add_url_rule("/sign-up", "sign_up", door.sign_up, methods=["POST"])
    doors.add_url_rule("/first-owner", "first_owner", door.set_up, methods=["POST"])
    doors.add_url_rule("/accept", "accept", door.accept, methods=["POST"])
    doors.add_url_rule("/session", "session", door.show_session, methods=["GET"])
    doors.add_url_rule("/confirm", "confirm", door.confirm, methods=["POST"])
    doors.add_url_rule("/password", "password", door.set_password, methods=["POST"])
    doors.add_url_rule("/profile", "profile", door.set_profile, methods=["POST"])
    doors.add_url_rule("/sessions", "sessions", door.list_sessions, methods=["GET"])
    doors.add_url_rule("/sessions/revoke", "revoke", door.revoke_session, methods=["POST"])
    doors.add_url_rule("/sign-out", "sign_out", door.sign_out, methods=["POST"])
    doors.add_url_rule("/link", "link", LinkDoor(system, transport).show, methods=["POST"])
    mail = MailDoor(system, transport)
    doors.add_url_rule("/password-reset", "password_reset", mail.ask_reset, methods=["POST"])
    doors.add_url_rule("/reset", "reset", mail.reset, methods=["POST"])
    doors.add_url_rule("/address-proof", "address_proof", mail.ask_proof, methods=["POST"])
    doors.add_url_rule("/address", "address", mail.ask_address, methods=["POST"])
    doors.add_url_rule("/prove", "prove", mail.prove, methods=["POST"])

    asked = ConsentDoor(system, transport)
    doors.add_url_rule("/authorization", "authorization", asked.show, methods=["POST"])
    doors.add_url_rule("/authorization/allow", "authorization_allow", asked.allow, methods=["POST"])
    doors.add_url_rule("/authorization/deny", "authorization_deny", asked.deny, methods=["POST"])

    @doors.errorhandler(DomainError)
    async def answer_problem(error: DomainError) -> Response:
        answer = as_response(problem_for(error, current_request().id))
        if answer.status_code == HTTPStatus.UNAUTHORIZED:
            answer.headers["WWW-Authenticate"] = CHALLENGE
        return no_store(answer)

    return doors


class _PeopleDoor(PersonDoor):
    """The views of the blueprint."""

    async def sign_in(self) -> Response:
        """Answer 200 with a new session and its cookie; the browser's earlier session ends.

        Answer 409 with a list of organizations where several accounts have that e-mail and password.
        """
        body = await read_body(SignIn)
        self._check_origin()
        signed_in = await sign_in.with_password(
            self._system, body.email, body.password, self._browser(), body.organization
        )
        return self._signed_in(signed_in)

    async def sign_in_by_link(self) -> Response:
        """Sign in with a one-time link; answers as `sign_in` does."""
        body = await read_body(Token)
        self._check_origin()
        return self._signed_in(await sign_in.with_link(self._system, body.token, self._browser()))

    async def sign_up(self) -> Response:
        """Make the account of an invitation and sign in; answers as `sign_in` does."""
        body = await read_body(SignUp)
        self._check_origin()
        signed_in = await sign_in.sign_up(self._system, body.token, body.name, body.password, self._browser())
        return self._signed_in(signed_in)

    async def set_up(self) -> Response:
        """Make the first organization and its owner, who is signed in; answers as `sign_in` does."""
        body = await read_body(SetUp)
        self._check_origin()
        first = FirstOwner(body.organization, body.name, body.email, body.password, body.time_zone)
        signed_in = await first_owner.set_up(
            self._system,
            body.token,
            first,
            self._browser(),
            starting_micro_credits=self._system.starting_micro_credits,
        )
        return self._signed_in(signed_in)

    async def accept(self) -> Response:
        """Accept an invitation; answers with the session, which has the new organization too."""
        token = self._guarded_token()
        body = await read_body(Token)
        profile = await sign_in.accept(self._system, token, body.token)
        return json_answer(session_answer(csrf_token(token), profile))

    async def show_session(self) -> Response:
        """Answer with the session, for a page that was reloaded."""
        token = self._session_token()
        session = await sign_in.session_of(self._system, token, self._browser().address)
        profile = await sign_in.profile_of(self._system, session.person_id)
        return json_answer(session_answer(csrf_token(token), profile))

    async def confirm(self) -> Response:
        """Answer 204; for the next two hours the person may issue keys."""
        token = self._guarded_token()
        body = await read_body(Password)
        await sign_in.confirm(self._system, token, body.password)
        return no_content()

    async def set_password(self) -> Response:
        """Answer 204; every other session of the person has ended."""
        token = self._guarded_token()
        body = await read_body(Password)
        await sign_in.set_password(self._system, token, body.password)
        return no_content()

    async def set_profile(self) -> Response:
        """Change the person's name; answers with the session, as it is now."""
        token = self._guarded_token()
        body = await read_body(Name)
        profile = await own_accounts.rename(self._system, token, body.name)
        return json_answer(session_answer(csrf_token(token), profile))

    async def list_sessions(self) -> Response:
        """Answer with where the person is signed in."""
        address = self._browser().address
        own = await own_accounts.list_sessions(self._system, self._session_token(), address)
        return json_answer(sessions_answer(own))

    async def revoke_session(self) -> Response:
        """Answer 204; the session has ended, or all of the person's but this one."""
        token = self._guarded_token()
        body = await read_body(SessionChoice)
        await own_accounts.revoke_session(self._system, token, body.id)
        return no_content()

    async def sign_out(self) -> Response:
        """Answer 204 and delete the cookie."""
        await sign_in.sign_out(self._system, self._guarded_token())
        answer = no_content()
        encrypted = self._is_encrypted()
        name = cookie_name(SESSION_COOKIE, encrypted=encrypted)
        answer.delete_cookie(name, httponly=True, samesite="Lax", secure=encrypted)
        return answer

    def _signed_in(self, signed_in: SignedIn) -> Response:
        answer = json_answer(session_answer(signed_in.csrf_token, signed_in.profile))
        encrypted = self._is_encrypted()
        now = self._system.clock.wall()  # the browser compares with its own clock
        for name, value, life_ms in (
            (SESSION_COOKIE, signed_in.token, SESSION_LIFE_MS),
            (BROWSER_COOKIE, signed_in.mark, KNOWN_BROWSER_LIFE_MS),
        ):
            answer.set_cookie(
                cookie_name(name, encrypted=encrypted),
                value,
                max_age=life_ms // SECOND_MS,
                expires=(now + life_ms) // SECOND_MS,
                httponly=True,
                samesite="Lax",
                secure=encrypted,
            )
        return answer
