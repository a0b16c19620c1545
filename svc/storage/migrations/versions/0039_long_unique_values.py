"""A long unique value stands as its digest: an index entry of PostgreSQL has 2,700 bytes at most."""

from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

BYTES_MAX = 1_000
REPLACE = sa.text(
    "UPDATE unique_values SET value = :digest WHERE property_id = :property_id AND value = :value"
)


def upgrade() -> None:
    conn = op.get_bind()
    # A character has four bytes at most, so shorter texts need no look.
    texts = conn.execute(
        sa.text("SELECT property_id, value FROM unique_values WHERE length(value) > :chars"),
        {"chars": BYTES_MAX // 4},
    ).all()
    for property_id, value in texts:
        if len(text := value.encode()) > BYTES_MAX:
            digest = f"SHA256:{sha256(text).hexdigest()}"
            conn.execute(REPLACE, {"digest": digest, "property_id": property_id, "value": value})
