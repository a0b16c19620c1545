"""Routing: who is asked in which order, and what the caller is answered when nobody can."""

import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.ai.errors import GatewayError
from svc.domain.ai.models import (
    Candidate,
    Choice,
    ModelCatalogue,
    OrganizationModels,
    OwnModel,
    OwnProvider,
    ServiceModel,
    ServiceProvider,
    same_place,
)
from svc.domain.ai.money import FREE, Prices
from svc.domain.ai.requests import CompletionRequest
from svc.domain.ai.routing import Failure, FailureKind, ProviderRefusal, Rests, Route

NOW = 1_800_000_000_000
LIST = Prices(1_000_000, 500_000, 2_000_000)
OWN_PRICES = Prices(3, 2, 1)
CATALOGUE = ModelCatalogue(
    [
        ServiceModel(
            id=name,
            providers=("p", "q"),
            upstream=f"{name}-1",
            prices=LIST,
            context_tokens=1_000,
            output_tokens_max=100,
        )
        for name in ("small", "large")
    ],
    [ServiceProvider(name=name, base_url=f"https://{name}.example/v1", key="k") for name in ("p", "q")],
)
A, B, C = (
    Candidate(provider=name, payer="credits", base_url="https://x.example", upstream="m", prices=LIST)
    for name in "abc"
)
REFUSED = Failure(kind="unreachable")
BUSY = Failure(kind="status", status=429)
DOWN = Failure(kind="status", status=503)
ERROR = b'{"error": {"message": "their words"}}'


def own(name: str, *models: OwnModel) -> OwnProvider:
    return OwnProvider(
        id=f"prv_{name}",
        name=name,
        base_url=f"https://{name}.example",
        sealed_key=b"",
        key_visible_end="",
        models=models,
        updated_at=NOW,
    )


def asked(choice: Choice | None) -> list[str]:
    return [] if choice is None else [candidate.provider for candidate in choice.candidates]


def verdict(*failures: Failure) -> ProviderRefusal | GatewayError:
    """What the caller is answered after these, each of another provider."""
    route = Route((A, B, C)[: len(failures)], Rests(), NOW)
    for failure in failures:
        candidate = route.next()
        assert candidate is not None
        route.failed(candidate, failure, NOW)
    assert route.next() is None
    return route.verdict()


def test_own_providers_come_first_and_alone():
    """The last set first; the service's follow only where that is switched on, or no own one serves it."""
    last = own("last", OwnModel(id="small", upstream="s"))
    first = own(
        "first", OwnModel(id="small", upstream="s", prices=OWN_PRICES), OwnModel(id="mine", upstream="m")
    )
    organization = OrganizationModels(own=(last, first))
    falling_back = OrganizationModels(own=(last, first), falls_back=True)

    assert ["prv_last", "prv_first"] == asked(organization.choose(CATALOGUE, "small"))
    assert ["prv_last", "prv_first", "p", "q"] == asked(falling_back.choose(CATALOGUE, "small"))
    assert ["p", "q"] == asked(organization.choose(CATALOGUE, "large"))
    assert ["prv_first"] == asked(falling_back.choose(CATALOGUE, "mine"))
    assert ["large", "mine", "small"] == [one.id for one in organization.models(CATALOGUE)]


def test_the_list_price_is_the_organizations_own_else_the_services():
    """And nothing for a model that only an own provider knows, without prices."""
    provider = own(
        "o", OwnModel(id="small", upstream="s", prices=OWN_PRICES), OwnModel(id="mine", upstream="m")
    )
    plain = own("plain", OwnModel(id="small", upstream="s"))
    choice = OrganizationModels(own=(provider, plain), falls_back=True).choose(CATALOGUE, "small")
    mine = OrganizationModels(own=(provider,)).choose(CATALOGUE, "mine")

    assert choice is not None
    assert mine is not None
    assert [OWN_PRICES, LIST, LIST, LIST] == [one.prices for one in choice.candidates]
    assert (FREE, None, None) == (
        mine.first.prices,
        mine.context_tokens,
        mine.output_tokens_max,
    )


def test_unknown_restricted_and_foreign_models_are_the_same():
    """None of them can be chosen, and none is listed."""
    organization = OrganizationModels(allowed=frozenset({"small", "gone"}))

    assert [[], [], [], ["p", "q"]] == [
        asked(organization.choose(CATALOGUE, name, key_models))
        for name, key_models in (
            ("unknown", None),
            ("large", None),
            ("small", frozenset({"large"})),
            ("small", frozenset({"small"})),
        )
    ]
    assert [] == organization.models(CATALOGUE, frozenset({"large"}))


@pytest.mark.parametrize(
    ("members", "tokens"),
    [
        ("", (1_000, 100)),
        (',"max_tokens":7', (None, 7)),
        (',"max_tokens":7000,"n":3', (None, 300)),
    ],
)
def test_the_upper_bound(members: str, tokens: tuple[int | None, int]):
    """The body's bytes or the context, at the dearer price of input; the limit or the most, `n` times."""
    text = "x" * (5_000 if tokens[0] else 1)
    body = f'{{"model":"small","messages":[{{"content":"{text}"}}]{members}}}'.encode()
    choice = OrganizationModels().choose(CATALOGUE, "small")
    assert choice is not None

    bound = choice.bound(CompletionRequest(body))

    assert (tokens[0] or len(body)) * 1 + tokens[1] * 2 == bound.micro_credits
    assert bound == choice.credits_bound(CompletionRequest(body))


@given(st.integers(0, 10**10), st.integers(0, 10**10), st.integers(1, 128), st.integers(0, 10**6))
def test_the_limit_that_would_fit_does(input_price: int, output_price: int, n: int, free: int):
    """The largest: one token more would be too much."""
    body = f'{{"model":"m","n":{n},"messages":[{{}}],"max_tokens":1000}}'.encode()
    candidate = Candidate(
        provider="p",
        payer="credits",
        base_url="x",
        upstream="m",
        prices=Prices(input_price, 0, output_price),
    )
    choice = Choice(id="m", context_tokens=None, output_tokens_max=1_000, candidates=(candidate,))
    fitting = choice.bound(CompletionRequest(body)).fitting(free)

    def costs(limit: int) -> int:
        limited = body.replace(b"1000", str(limit).encode())
        scaled = len(body) * input_price + n * limit * output_price
        assert CompletionRequest(limited).completion_tokens_max == limit
        return -(-scaled // 1_000_000)

    assert 0 <= fitting <= 1_000
    assert not fitting or costs(fitting) <= free
    assert fitting == 1_000 or costs(fitting + 1) > free


@pytest.mark.parametrize(
    ("failure", "leads_on", "rest_ms"),
    [
        (REFUSED, True, 5_000),
        (BUSY, True, 5_000),
        (Failure(kind="status", status=429, retry_after_ms=7_000), True, 7_000),
        (Failure(kind="status", status=503, retry_after_ms=90_000), True, 60_000),
        (Failure(kind="status", status=500, retry_after_ms=0), True, 0),
        (Failure(kind="shape"), True, 0),
        (Failure(kind="error_event"), True, 0),
        (Failure(kind="timeout"), False, 0),
        (Failure(kind="status", status=401), False, 0),
        (Failure(kind="status", status=400, body=ERROR), False, 0),
        (Failure(kind="status", status=302), False, 0),
    ],
)
def test_what_leads_on_and_who_rests(failure: Failure, leads_on: bool, rest_ms: int):
    """A 4xx and a silence end the call; only who cannot take more rests, a minute at most."""
    rests = Rests()
    route = Route((A, B), rests, NOW)
    first = route.next()
    route.failed(A, failure, NOW)
    following = route.next()

    assert (A, B if leads_on else None) == (first, following)
    assert rest_ms == failure.rest_ms
    assert (rest_ms > 0) == rests.is_resting(A, NOW)
    assert not rests.is_resting(A, NOW + rest_ms)


def test_who_rests_is_asked_last_and_never_left_out():
    """Each provider once, and the order of the others stays."""
    rests = Rests()
    rests.note(A, DOWN, NOW)
    route = Route((A, B, C), rests, NOW + 4_999)
    order = []
    while (candidate := route.next()) is not None:
        order.append(candidate)
        route.failed(candidate, DOWN, NOW + 4_999)

    assert [B, C, A] == order
    assert [A, B, C] == Rests().ordered((A, B, C), NOW)
    assert [A, B, C] == rests.ordered((A, B, C), NOW + 4_999)  # all of them rest


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        ([REFUSED], ("upstream_error", 502, None)),
        ([DOWN, BUSY], ("upstream_error", 502, None)),
        ([BUSY, DOWN], ("upstream_error", 502, None)),
        ([BUSY, BUSY], ("rate_limit_exceeded", 429, 5)),
        (
            [Failure(kind="status", status=429, retry_after_ms=120_000), BUSY],
            ("rate_limit_exceeded", 429, 5),
        ),
        ([Failure(kind="status", status=429, retry_after_ms=120_001)], ("rate_limit_exceeded", 429, 121)),
        ([Failure(kind="status", status=429, retry_after_ms=0)], ("rate_limit_exceeded", 429, 1)),
        ([DOWN, Failure(kind="timeout")], ("upstream_timeout", 504, None)),
        ([Failure(kind="status", status=401, body=ERROR)], ("upstream_error", 502, None)),
        ([Failure(kind="status", status=302)], ("upstream_error", 502, None)),
        ([Failure(kind="status", status=400, body=b"<html>their words")], ("upstream_error", 502, None)),
        ([Failure(kind="shape")], ("upstream_error", 502, None)),
    ],
)
def test_the_answer_when_nobody_gave_one(failures: list[Failure], expected: tuple[str, int, int | None]):
    """In the gateway's words, with none of a provider."""
    error = verdict(*failures)

    assert isinstance(error, GatewayError)
    assert expected == (error.kind, error.status, error.retry_after_seconds)
    assert "their words" not in str(error) + str(error.body()) + repr(failures)


@pytest.mark.parametrize("status", [400, 404, 409, 413, 422])
def test_what_a_provider_says_about_the_request_passes(status: int):
    """As it is, even after another one was down."""
    assert ProviderRefusal(status, ERROR) == verdict(DOWN, Failure(kind="status", status=status, body=ERROR))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("https://a.example/v1", "https://a.example/v2", True),
        ("https://a.example", "https://a.example:443/", True),
        ("https://a.example", "http://a.example", False),
        ("https://a.example", "https://b.example", False),
        ("https://a.example", "https://a.example:444", False),
        ("https://A.example", "https://a.example", True),
    ],
)
def test_a_key_stays_for_the_same_scheme_host_and_port(first: str, second: str, expected: bool):
    assert expected == same_place(first, second)


def _as_recorded() -> list[tuple[str, str, str, str]]:
    """The rows of the record's table of failures: what it was, is the next one asked, a rest, the answer."""
    page = Path(__file__).parents[3] / "docs" / "decisions" / "0019-gateway.md"
    rows = re.findall(r"(?m)^\| (`.*?) \| (.*?) \| (.*?) \| (.*?) \|$", page.read_text("utf-8"))
    return [(what, leads_on, rests, answer) for what, leads_on, rests, answer in rows]


@pytest.mark.parametrize("row", _as_recorded(), ids=lambda row: row[0][:16])
def test_failures_are_as_the_record_has_them(row: tuple[str, str, str, str]):
    """Whether the next provider is asked, whether this one rests, and what is answered after the last."""
    what, leads_on, rests, answer = row
    kind, status = re.findall(r"`(\w+)`(?: (\d+))?", what)[0]
    statuses: list[int | None] = [int(one) for one in re.findall(r"\d{3}", f"{status} {leads_on}")]

    for one in statuses or [None]:
        failure = Failure(kind=kind, status=one)
        assert leads_on.startswith("yes") is failure.leads_on
        assert (rests == "yes") is (failure.rest_ms > 0)
        told = verdict(failure)
        assert isinstance(told, GatewayError)
        assert str(told.status) in answer
        if "in the shape of an error" in answer:
            assert ProviderRefusal(one or 0, ERROR) == verdict(Failure(kind=kind, status=one, body=ERROR))


def test_the_record_has_every_failure():
    """Each kind, and statuses of every sort."""
    kinds = [re.findall(r"`(\w+)`", what)[0] for what, *_ in _as_recorded()]

    assert set(get_args(FailureKind)) == set(kinds)
    assert 4 == kinds.count("status")
