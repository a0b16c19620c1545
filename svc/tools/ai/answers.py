"""What tools about AI answer with: prices as texts, and the parts that several of them share."""

from typing import Annotated

from svc.domain.ai.limits import AI_MODEL_ID_CHARS_MAX
from svc.domain.ai.models import ModelCatalogue
from svc.domain.ai.money import Price, Prices, credits_text
from svc.domain.errors import at
from svc.domain.identity.callers import Call
from svc.tools.tool import about

ModelId = Annotated[
    str,
    about(
        description="What clients call the model.",
        min_length=1,
        max_length=AI_MODEL_ID_CHARS_MAX,
        examples=["small"],
    ),
]
PriceText = Annotated[
    str,
    about(
        description="Credits per million tokens, with at most six decimals: a text, as money is no float.",
        pattern=r"^[0-9]{1,5}(\.[0-9]{1,6})?$",
        examples=["0.15"],
    ),
]
MicroCredits = Annotated[int, about(description="Micro-credits: a million are a credit.", examples=[1_250])]


def catalogue_of(call: Call) -> ModelCatalogue:
    """The service's models, as the door of *call* knows them; none where it knows none."""
    models = call.installation.models
    return models if isinstance(models, ModelCatalogue) else ModelCatalogue()


def price_text(price: int) -> str:
    """A price, in micro-credits per million tokens, as tools show it."""
    return credits_text(price)


def read_price(text: str, pointer: str) -> int:
    """Raises `InvalidInput` at *pointer* for what is no price."""
    with at(pointer):
        return int(Price.read(text))


def price_members(prices: Prices) -> dict[str, str]:
    """*prices* as members of an answer."""
    return {
        "input": price_text(prices.input),
        "cached_input": price_text(prices.cached_input),
        "output": price_text(prices.output),
    }
