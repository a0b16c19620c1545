"""The ways in which items become writes of records: created, updated by id, upserted, or matched."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from svc.domain.errors import Conflict, Fault, InvalidInput, InvalidValue
from svc.domain.identity.organizations import Organization
from svc.domain.limits import FAULTS_MAX
from svc.domain.records.matching import IDENTITY_KINDS, Clear, Unclear, UnclearMatch, gain, match
from svc.domain.records.objects import CONTACT
from svc.domain.records.properties import CURRENCY_SUFFIX, Value
from svc.domain.records.values import Values, read
from svc.storage.records.objects import StoredProperty
from svc.storage.records.rows import Record
from svc.storage.records.values import References, check, check_size
from svc.storage.records.writes.record_writes import RecordState, RecordWrites
from svc.storage.store import Tx

WayName = Literal["create", "update", "upsert", "match"]


class Item(NamedTuple):
    """Values for one record. An id is for updates alone, and a version for all but creations."""

    properties: Mapping[str, Any]
    id: str = ""
    if_version: int | None = None


_EMPTY: Final = Fault("/properties", "missing", "a record needs at least one value that is not empty")


class WriteRequest(NamedTuple):
    """All items, what they are upserted by, and after how many faults an item has its first only."""

    items: Sequence[Item]
    by: str | None = None
    faults_max: int = FAULTS_MAX


class WriteResult(NamedTuple):
    """The record as an item left it, and the slugs of the values that it suggests."""

    kind: Literal["created", "updated", "unchanged", "suggested"]
    record: Record
    suggested: Sequence[str] = ()


class Way:
    """Reads all items first, and then writes each, by its place."""

    def __init__(
        self,
        tx: Tx,
        organization: Organization,
        writes: RecordWrites,
        asked: WriteRequest,
    ) -> None:
        self.organization = organization
        self.writes = writes
        self.object_ = writes.object_
        self.items, self.by, self._faults_left = asked
        self._references = References(tx.conn, organization.id)
        self.load()

    def load(self) -> None:
        """Read what the items need. Raises `InvalidInput` if records are not found by `by`."""
        raise NotImplementedError

    def write(self, place: int) -> WriteResult:
        """Write the item at *place*.

        Raises:
            InvalidInput: its id, version or values are wrong.
            NotFound: there is no record with its id.
            Conflict: it conflicts with what is stored.
        """
        raise NotImplementedError

    def check(self, stored: Values, given: Mapping[str, Any]) -> Values:
        """*stored* with the values *given*. Raises `InvalidInput`."""
        left = self._faults_left
        try:
            return check(self._references, self.organization, self.object_, stored, given, faults_max=left)
        except InvalidInput as error:
            self._faults_left = max(1, left - len(error.faults))
            raise

    def check_new(self, given: Mapping[str, Any]) -> Values:
        """The values of a new record, of which there is one at least. Raises `InvalidInput`."""
        values = self.check({}, given)
        if not values:
            raise InvalidInput([_EMPTY])
        return values

    def check_all(self) -> list[Values | InvalidInput]:
        """The values of each item as those of a new record, or what is wrong with them."""
        checked: list[Values | InvalidInput] = []
        for item in self.items:
            try:
                checked.append(self.check_new(item.properties))
            except InvalidInput as error:
                checked.append(error)
        return checked

    def create(self, values: Values) -> WriteResult:
        return WriteResult("created", self.writes.create(values))

    def update(self, standing: RecordState, item: Item) -> WriteResult:
        after = self.check(standing.values, item.properties)
        self.writes.check_version(standing, item.if_version, after)
        version = standing.version
        record = self.writes.update(standing, after)
        return WriteResult("updated" if record.version > version else "unchanged", record)


class Creates(Way):
    """Each item is a new record."""

    def load(self) -> None:
        self._values = self.check_all()
        if len(self.items) > 1:
            self.writes.unique.load(one for one in self._values if not isinstance(one, InvalidInput))

    def write(self, place: int) -> WriteResult:
        values = self._values[place]
        if isinstance(values, InvalidInput):
            raise values
        return self.create(values)


class Updates(Way):
    """Each item is a record's id, and what to change of it."""

    def load(self) -> None:
        if len(self.items) > 1:
            self.writes.load(item.id for item in self.items)

    def write(self, place: int) -> WriteResult:
        item = self.items[place]
        return self.update(self.writes.standing(item.id), item)


class Upserts(Way):
    """Each item is found by the value of one property, or is a new record."""

    def load(self) -> None:
        by = self.by
        prop = self.object_.properties.get(by or "")
        self._is_identity = self.object_.slug == CONTACT and by in IDENTITY_KINDS
        if prop is None or not (prop.unique or self._is_identity):
            detail = "must be a unique property, or a contact's `email` or `phone`"
            raise InvalidInput([Fault("/by", "invalid_value", detail)])
        self._by: StoredProperty = prop
        self._keys: list[Value | InvalidInput] = []
        for item in self.items:
            try:
                self._keys.append(self._key(item.properties))
            except InvalidInput as error:
                self._keys.append(error)
        if len(self.items) > 1:
            keys: list[Value] = [key for key in self._keys if not isinstance(key, InvalidInput)]
            several = [{self._by.slug: key} for key in keys]
            if self._is_identity:
                self.writes.identities.load(several)
            else:
                self.writes.unique.load(several)
            ids = map(self._known, keys)
            self.writes.load(known[0] for known in ids if known)

    def write(self, place: int) -> WriteResult:
        item = self.items[place]
        key = self._keys[place]
        if isinstance(key, InvalidInput):
            raise key
        known = self._known(key)
        slug = self._by.slug
        if len(known) > 1:
            raise Conflict(f"several contacts have this {slug}: " + ", ".join(known))
        if known:
            return self.update(self.writes.standing(known[0]), item)
        if item.if_version is not None:
            raise Conflict(f"there is no record with this {slug}: it was changed or deleted since")
        return self.create(self.check_new(item.properties))

    def _key(self, given: Mapping[str, Any]) -> Value:
        slug = self._by.slug
        try:
            value = read(self._by, given.get(slug), self.organization.country)
        except InvalidValue as error:
            raise InvalidInput([Fault(f"/properties/{slug}", "invalid_value", str(error))]) from None
        if value is None:
            detail = "is required: the record is looked up by it"
            raise InvalidInput([Fault(f"/properties/{slug}", "missing", detail)])
        return value

    def _known(self, key: Value) -> Sequence[str]:
        """The ids of the records that have the value."""
        if self._is_identity:
            return sorted(self.writes.identities.having(self._by.slug, str(key)))
        owner = self.writes.unique.owner(self._by.id, key)
        return () if owner is None else (owner,)


class Matches(Way):
    """Each item is matched to a contact by e-mail and phone, as a form's submission is."""

    def load(self) -> None:
        if self.object_.slug != CONTACT:
            detail = "is required: only contacts are matched by e-mail and phone together"
            raise InvalidInput([Fault("/by", "missing", detail)])
        self._values = self.check_all()
        if len(self.items) > 1:
            several = [one for one in self._values if not isinstance(one, InvalidInput)]
            self.writes.identities.load(several)
            having = self.writes.identities.having
            known = [
                having(kind, values[kind]) for values in several for kind in IDENTITY_KINDS if kind in values
            ]
            self.writes.load(record_id for ids in known for record_id in sorted(ids))

    def write(self, place: int) -> WriteResult:
        item, values = self.items[place], self._values[place]
        if isinstance(values, InvalidInput):
            raise values
        contact_id = self._match(values)
        if contact_id is not None:
            return self._merge(self.writes.standing(contact_id), item, values)
        if item.if_version is not None:
            raise Conflict("no contact has this e-mail or phone: it was changed or deleted since")
        return self.create(values)

    def _match(self, values: Values) -> str | None:
        """The contact with the e-mail and phone of *values*; None if there is none. Raises `UnclearMatch`."""
        email, phone = values.get("email"), values.get("phone")
        if email is None and phone is None:
            detail = "an `email` or a `phone` is required: contacts are matched by them"
            raise InvalidInput([Fault("/properties", "missing", detail)])
        with_email, with_phone = (
            self.writes.identities.having(kind, value) if value else set[str]()
            for kind, value in (("email", email), ("phone", phone))
        )
        others = {
            one for one in with_phone if self.writes.standing(one).values.get("email") not in {None, email}
        }
        matched = match(email, with_email, with_phone, others)
        if isinstance(matched, Unclear):
            raise UnclearMatch(matched.reason, len(matched.candidates))
        return matched.contact_id if isinstance(matched, Clear) else None

    def _merge(self, standing: RecordState, item: Item, values: Values) -> WriteResult:
        wanted = {slug: values[slug] for slug in item.properties if slug in values}
        filled, suggested = gain(standing.id, standing.values, wanted, self.writes.identities.having)
        after = standing.values | filled
        for slug in filled:
            currency = slug + CURRENCY_SUFFIX
            if currency in values:
                after.setdefault(currency, values[currency])
        check_size(after)
        self.writes.check_version(standing, item.if_version, after)
        record = self.writes.update(standing, after)
        self.writes.suggest(standing, suggested)
        if filled:
            return WriteResult("updated", record, tuple(suggested))
        return WriteResult("suggested" if suggested else "unchanged", record, tuple(suggested))


WAYS: Final[Mapping[WayName, type[Way]]] = {
    "create": Creates,
    "update": Updates,
    "upsert": Upserts,
    "match": Matches,
}
