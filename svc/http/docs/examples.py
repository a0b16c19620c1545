"""Example calls of a tool, ready to paste: curl, Python and TypeScript.

The registry's examples have placeholder ids; where a demo runs, its ids replace them.
"""

from typing import Any, Final, NamedTuple

import msgspec

from svc.http.docs.example_ids import ExampleIds, with_ids
from svc.http.docs.html_text import pretty
from svc.http.tools.contract import example_json
from svc.http.tools.door import API_PATH, APP_PATH
from svc.http.tools.problem_codes import repeatable
from svc.tools.tool import Tool

PLACE: Final = "http://127.0.0.1:8000"
"""The address in examples, which pages replace by the one in the request."""

_INDENT: Final = "    "
_WIDTH: Final = 88
_JSON_WORDS: Final = {True: "True", False: "False", None: "None"}


class Example(NamedTuple):
    """A call in one language."""

    language: str
    title: str
    text: str


def examples_of(tool: Tool[Any, Any], ids: ExampleIds) -> tuple[Example, ...]:
    """Calls of *tool*: with an API key, or with a session where no key may call it."""
    arguments = with_ids(tool.name, example_json(tool.example), ids)
    if tool.runs == "open":
        return (
            Example("sh", "curl", _curl(tool, arguments)),
            Example("python", "Python", _python(tool, arguments)),
            Example("ts", "TypeScript", _typescript(tool, arguments)),
        )
    return (
        Example("sh", "curl", _curl(tool, arguments)),
        Example("python", "Python", _python_signed_in(tool, arguments)),
        Example("ts", "TypeScript", _typescript_signed_in(tool, arguments)),
    )


def sign_in_with_curl() -> str:
    """Shell commands to sign in: the session goes to `cookies.txt`, the CSRF token to `SVC_CSRF`."""
    return (
        "export SVC_CSRF=$(curl -s -c cookies.txt \\\n"
        f'  "{PLACE}/app/api/sign-in" \\\n'
        "  -H 'Content-Type: application/json' \\\n"
        '  -d "{\\"email\\": \\"$SVC_EMAIL\\", \\"password\\": \\"$SVC_PASSWORD\\"}" |\n'
        '  sed \'s/.*"csrfToken":"\\([^"]*\\)".*/\\1/\')'
    )


def _key_of(tool: Tool[Any, Any]) -> str:
    """The idempotency key of an example: constant, so that pasting it twice has one effect."""
    return f"try-{tool.wire_name.replace('_', '-')}"


def _curl(tool: Tool[Any, Any], arguments: Any) -> str:
    signed_in = tool.runs != "open"
    path = APP_PATH if signed_in else API_PATH
    options = ["-b cookies.txt"] if signed_in else []
    options.append('-H "X-CSRF-Token: $SVC_CSRF"' if signed_in else '-H "Authorization: Bearer $SVC_KEY"')
    options.append("-H 'Content-Type: application/json'")
    if repeatable(tool):
        options.append(f"-H 'Idempotency-Key: {_key_of(tool)}'")
    body = pretty(arguments).replace("'", "'\\''")
    return " \\\n  ".join([f"curl {PLACE}{path}{tool.name}", *options, f"-d '{body}'"])


def _python(tool: Tool[Any, Any], arguments: Any) -> str:
    headers = ['"Authorization": f"Bearer {os.environ[\'SVC_KEY\']}"', *_python_key(tool)]
    call = _python_call("httpx.post", f"{PLACE}{API_PATH}{tool.name}", headers, arguments)
    return f"import os\n\nimport httpx\n\nanswer = {call}\nprint(answer.raise_for_status().json())"


def _python_signed_in(tool: Tool[Any, Any], arguments: Any) -> str:
    headers = ['"X-CSRF-Token": session["csrfToken"]', *_python_key(tool)]
    call = _python_call("client.post", f"{APP_PATH}{tool.name}", headers, arguments)
    body = "\n".join(
        [
            'who = {"email": os.environ["SVC_EMAIL"], "password": os.environ["SVC_PASSWORD"]}',
            'session = client.post("/app/api/sign-in", json=who).raise_for_status().json()',
            f"answer = {call}",
            "print(answer.raise_for_status().json())",
        ]
    )
    indented = body.replace("\n", f"\n{_INDENT}")
    return (
        f'import os\n\nimport httpx\n\nwith httpx.Client(base_url="{PLACE}") as client:\n{_INDENT}{indented}'
    )


def _python_key(tool: Tool[Any, Any]) -> list[str]:
    return [f'"Idempotency-Key": "{_key_of(tool)}"'] if repeatable(tool) else []


def _python_call(function: str, address: str, headers: list[str], arguments: Any) -> str:
    shown_headers = f"{{{', '.join(headers)}}}"
    if len(shown_headers) + len("    headers=,") > _WIDTH:
        lines = "".join(f"\n{_INDENT * 2}{header}," for header in headers)
        shown_headers = f"{{{lines}\n{_INDENT}}}"
    return (
        f'{function}(\n{_INDENT}"{address}",\n{_INDENT}headers={shown_headers},'
        f"\n{_INDENT}json={_literal(arguments, 1)},\n)"
    )


def _literal(value: Any, level: int, *, room: int = _WIDTH - 10) -> str:
    """*value* as a Python literal, on several lines where it is long."""
    flat = _flat(value)
    if len(flat) + level * len(_INDENT) <= room or not isinstance(value, dict | list) or not value:
        return flat
    inner = _INDENT * (level + 1)
    if isinstance(value, dict):
        lines = [f"{inner}{_text(name)}: {_literal(item, level + 1)}," for name, item in value.items()]
        return "\n".join(["{", *lines, f"{_INDENT * level}}}"])
    return "\n".join(
        ["[", *(f"{inner}{_literal(item, level + 1)}," for item in value), f"{_INDENT * level}]"]
    )


def _flat(value: Any) -> str:
    match value:
        case None | bool():
            return _JSON_WORDS[value]
        case str():
            return _text(value)
        case dict():
            return f"{{{', '.join(f'{_text(name)}: {_flat(item)}' for name, item in value.items())}}}"
        case list():
            return f"[{', '.join(map(_flat, value))}]"
        case _:
            return msgspec.json.encode(value).decode()


def _text(value: str) -> str:
    """A string literal of JSON, which is one of Python and TypeScript too."""
    return msgspec.json.encode(value).decode()


def _typescript(tool: Tool[Any, Any], arguments: Any) -> str:
    headers = [
        "Authorization: `Bearer ${process.env.SVC_KEY}`",
        '"Content-Type": "application/json"',
        *_python_key(tool),
    ]
    return "\n".join(
        [
            f'const answer = await fetch("{PLACE}{API_PATH}{tool.name}", {{',
            *_typescript_options(headers, arguments),
            "});",
            "console.log(await answer.json());",
        ]
    )


def _typescript_signed_in(tool: Tool[Any, Any], arguments: Any) -> str:
    headers = [
        'Cookie: signedIn.headers.getSetCookie()[0].split(";")[0]',
        '"X-CSRF-Token": session.csrfToken',
        '"Content-Type": "application/json"',
        *_python_key(tool),
    ]
    return "\n".join(
        [
            f'const signedIn = await fetch("{PLACE}/app/api/sign-in", {{',
            '  method: "POST",',
            '  headers: { "Content-Type": "application/json" },',
            "  body: JSON.stringify({ email: process.env.SVC_EMAIL, password: process.env.SVC_PASSWORD }),",
            "});",
            "const session = await signedIn.json();",
            f'const answer = await fetch("{PLACE}{APP_PATH}{tool.name}", {{',
            *_typescript_options(headers, arguments),
            "});",
            "console.log(await answer.json());",
        ]
    )


def _typescript_options(headers: list[str], arguments: Any) -> list[str]:
    body = pretty(arguments).replace("\n", "\n  ")
    return [
        '  method: "POST",',
        "  headers: {",
        *(f"    {header}," for header in headers),
        "  },",
        f"  body: JSON.stringify({body}),",
    ]
