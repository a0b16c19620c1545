"""A hook of Schemathesis: in bodies that fit their schema, many a name or id becomes one that is there.

Without it hardly a call would get past "no such thing". `FUZZ_KNOWN` names a file: what there is, as JSON, by
the name of a member of a body, with `records` as pairs of an object's slug and an id.
"""

import gc
import json
import os
import random
from pathlib import Path
from typing import Any

import schemathesis
from schemathesis import HookContext
from schemathesis.generation import GenerationMode

# Of the many values that are made hardly any is garbage that only the collector can find.
gc.freeze()
gc.set_threshold(100_000, 20, 100)

KNOWN: dict[str, Any] = json.loads(Path(os.environ["FUZZ_KNOWN"]).read_text())


@schemathesis.hook
def map_case(context: HookContext, case: Any) -> Any:
    meta = case.meta
    if isinstance(case.body, dict) and "waitSeconds" in case.body:
        case.body["waitSeconds"] = _short(case.body["waitSeconds"])
    if meta is None or meta.generation.mode is not GenerationMode.POSITIVE or not isinstance(case.body, dict):
        return case
    # Drawn from the case itself, so that it can be played again.
    chance = random.Random(json.dumps(case.body, sort_keys=True, default=repr))
    noun = case.path.rpartition("/")[2].partition(".")[0]
    if chance.random() < 0.75:
        case.body = {key: known(noun, key, value, chance) for key, value in case.body.items()}
        if {"objectType", "id"} <= case.body.keys():
            case.body["objectType"], case.body["id"] = chance.choice(KNOWN["records"])
    return case


def _short(seconds: Any) -> Any:
    """A wait that does not hold up the others; one that is not valid stays so."""
    is_valid = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds <= 20
    return 0.01 if is_valid else seconds


def known(noun: str, key: str, value: Any, chance: random.Random) -> Any:
    """Something that is there in place of *value*, where it may stand there."""
    if key == "properties" and isinstance(value, dict):
        return {chance.choice(KNOWN["slugs"]): one for one in value.values()}
    if key in {"filters", "sort"} and isinstance(value, list):
        return [
            one | {"property": chance.choice(KNOWN["slugs"])} if isinstance(one, dict) else one
            for one in value
        ]
    there = KNOWN.get(f"{noun}.{key}") or KNOWN.get(key)
    return chance.choice(there) if there and isinstance(value, str) else value
