"""Accounts at home: an e-mail address is one account's in its home organization, not in all of them."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("people") as people:
        people.drop_constraint(people.f("uq_people_email"), type_="unique")
        people.drop_index("ix_people_home_organization_id")
        people.create_unique_constraint(
            people.f("uq_people_home_organization_id_email"), ["home_organization_id", "email"]
        )
        people.create_index("ix_people_email", ["email"])
