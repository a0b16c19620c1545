"""Trials of models: what a person asks for at the screen, and what it is told.

It is no tool: a model is asked on the way, which no unit of work does.
"""

from typing import Annotated, Final

from svc.domain.ai.limits import AI_TRIAL_CHARS_MAX
from svc.tools.ai.answers import ModelId
from svc.tools.tool import ToolInput, ToolOutput, about

MODEL_TRIAL: Final = "ai.model_try"
"""What refusals are audited as."""


class TryModel(ToolInput, frozen=True, kw_only=True):
    """Which model, and what it is asked."""

    model: ModelId
    text: Annotated[str, about(min_length=1, max_length=AI_TRIAL_CHARS_MAX)]


class ModelTrial(ToolOutput, frozen=True, kw_only=True):
    """What the model said; or the `code` and `detail` of the gateway's error."""

    text: str | None = None
    code: str | None = None
    detail: str | None = None
    milliseconds: int
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    charged_micro_credits: int = 0
