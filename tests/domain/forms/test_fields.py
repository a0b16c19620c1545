"""What a form's fields mean."""

import pytest

from svc.domain.forms.fields import RECOGNISED, Kind, Meaning, field_map, meaning_of, plain_name

NO_MAPPING = field_map({})


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in RECOGNISED.items() for name in names]
)
def test_the_names_of_the_contract_are_recognised(kind: Kind, name: str) -> None:
    """Every recognised name means its kind, in any case and with spaces around it."""
    for written in (name, name.upper(), f"  {name.lower()} "):
        meaning = meaning_of(plain_name(written), NO_MAPPING)

        assert Meaning(RECOGNISED[kind].index(name), kind) == meaning


@pytest.mark.parametrize(
    "name", ["", "message", "e mail", "email2", "my email", "last_name", "phone number", "surname"]
)
def test_other_names_mean_nothing(name: str) -> None:
    """A name that only resembles a recognised one is an ordinary field."""
    assert meaning_of(plain_name(name), NO_MAPPING) is None


def test_a_forms_own_mapping_wins() -> None:
    """A mapped field ranks before the recognised names, and mapping one elsewhere takes it away."""
    mapping = field_map({" E-Mail Adresse": "email", "Name": "company_name", "Wer": "name"})

    assert Meaning(-1, "email") == meaning_of(plain_name("e-mail adresse "), mapping)
    assert Meaning(-1, "name") == meaning_of("wer", mapping)
    assert meaning_of("name", mapping) is None
    assert Meaning(0, "email") == meaning_of("email", mapping)
