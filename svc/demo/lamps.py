"""The lamps that the demo's shop sells, with the properties of their object."""

from typing import Any, Final

LAMP_PROPERTIES: Final[tuple[dict[str, Any], ...]] = (
    {"slug": "price", "label": "Price", "type": "amount"},
    {
        "slug": "material",
        "label": "Material",
        "type": "select",
        "options": ("Brass", "Steel", "Oak", "Glass", "Linen"),
    },
    {
        "slug": "rooms",
        "label": "Rooms",
        "type": "multi_select",
        "options": ("Bedroom", "Hall", "Kitchen", "Living room", "Outdoors", "Study"),
    },
    {"slug": "in_stock", "label": "In stock", "type": "number"},
    {"slug": "made_to_order", "label": "Made to order", "type": "boolean"},
    {"slug": "about", "label": "About", "type": "long_text"},
)

LAMPS: Final[tuple[dict[str, Any], ...]] = (
    {
        "name": "Skerry wall light",
        "price": 95,
        "material": "Steel",
        "rooms": ["Hall", "Living room"],
        "in_stock": 31,
        "made_to_order": False,
        "about": "Spun steel on an oak back plate. Washes the wall in warm light.",
    },
    {
        "name": "Brass pendant",
        "price": 145,
        "material": "Brass",
        "rooms": ["Kitchen", "Living room"],
        "in_stock": 12,
        "made_to_order": False,
        "about": "A bell of raw brass that darkens over the years. Made for tables.",
    },
    {
        "name": "Anchor reading lamp",
        "price": 79,
        "material": "Steel",
        "rooms": ["Bedroom", "Study"],
        "in_stock": 54,
        "made_to_order": False,
        "about": "A head that turns, on an arm that stays where you leave it.",
    },
    {
        "name": "Bollard lantern",
        "price": 210,
        "material": "Steel",
        "rooms": ["Outdoors"],
        "in_stock": 6,
        "made_to_order": False,
        "about": "Galvanised, and not afraid of the sea.",
    },
    {
        "name": "Tideline floor lamp",
        "price": 320,
        "material": "Oak",
        "rooms": ["Living room", "Study"],
        "in_stock": 3,
        "made_to_order": True,
        "about": "Three legs of bent oak under a shade of linen.",
    },
    {
        "name": "Float table lamp",
        "price": 118,
        "material": "Glass",
        "rooms": ["Bedroom", "Living room"],
        "in_stock": 17,
        "made_to_order": False,
        "about": "A glass float, blown by hand, no two alike.",
    },
    {
        "name": "Sailcloth shade",
        "price": 48,
        "material": "Linen",
        "rooms": ["Bedroom", "Hall", "Living room"],
        "in_stock": 40,
        "made_to_order": False,
        "about": "For any stand with a European ring.",
    },
    {
        "name": "Harbour master's desk lamp",
        "price": 265,
        "material": "Brass",
        "rooms": ["Study"],
        "in_stock": 0,
        "made_to_order": True,
        "about": "As it stood in the office on the quay. Six weeks.",
    },
)
