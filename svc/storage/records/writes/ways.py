"""The ways in which items become writes of records: created, updated by id, upserted, or matched."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar

from svc.domain.errors import Conflict, Fault, InvalidInput, InvalidValue
from svc.domain.identity.organizations import Organization
from svc.domain.limits import FAULTS_MAX
from svc.domain.records.matching import IDENTITY_KINDS, Clear, Unclear, UnclearMatch, gain, match
from svc.domain.records.objects import CONTACT
from svc.domain.records.properties import CURRENCY_SUFFIX, Value
from svc.domain.records.values import Values, read
from svc.storage.records.objects import StoredProperty
from svc.storage.records.rows import Record
from svc.storage.records.values import References, check, check_new, check_size
from svc.storage.records.writes.record_writes import RecordWrites, Standing
from svc.storage.store import Tx

R = TypeVar("R")

WayName = Literal["create", "update", "upsert", "match"]


class Item(NamedTuple):
    """Values for one record. An id is for updates alone, and a version for all but creations."""

    properties: Mapping[str, Any]
    id: str = ""
    if_version: int | None = None


class Written(NamedTuple):
    """The record as an item left it, and the slugs of the values that it suggests."""

    kind: Literal["created", "updated", "unchanged", "suggested"]
    record: Record
    suggested: Sequence[str] = ()


class Way(Protocol):
    """Reads items first, all at once, and then writes each by its place."""

    def load(self, items: Sequence[Item], faults_max: int) -> None: ...
    def write(self, place: int) -> Written:
        """Raises `InvalidInput`, `NotFound` or `Conflict`, with pointers into the item."""
        ...


def _attempt(fn: Callable[[Mapping[str, Any]], R], given: Mapping[str, Any]) -> R | InvalidInput:
    """What *fn* returns of *given*, or what it finds wrong."""
    try:
        return fn(given)
    except InvalidInput as error:
        return error


def _got(result: R | InvalidInput) -> R:
    if isinstance(result, InvalidInput):
        raise result
    return result


class _Base:
    """What all ways have in common."""

    def __init__(self, tx: Tx, organization: Organization, writes: RecordWrites, by: str | None) -> None:
        self.organization = organization
        self.writes = writes
        self.object_ = writes.object_
        self.by = by
        self.items: Sequence[Item] = ()
        self._references = References(tx.conn, organization.id)
        self._faults_left = FAULTS_MAX

    def start(self, items: Sequence[Item], faults_max: int) -> None:
        self.items = items
        self._faults_left = faults_max

    def check(self, stored: Values, given: Mapping[str, Any]) -> Values:
        """*stored* with the values *given*. Raises `InvalidInput`."""
        try:
            return check(
                self._references,
                self.organization,
                self.object_,
                stored,
                given,
                faults_max=max(1, min(self._faults_left, FAULTS_MAX)),
            )
        except InvalidInput as error:
            self._faults_left -= len(error.faults)
            raise

    def check_new(self, given: Mapping[str, Any]) -> Values:
        """The values of a new record. Raises `InvalidInput`."""
        values = self.check({}, given)
        check_new(values)
        return values

    def check_all(self, items: Sequence[Item]) -> list[Values | InvalidInput]:
        """The values of each item as those of a new record, or what is wrong with them."""
        return [_attempt(self.check_new, item.properties) for item in items]

    def create(self, values: Values) -> Written:
        return Written("created", self.writes.create(values))

    def update(self, standing: Standing, item: Item) -> Written:
        after = self.check(standing.values, item.properties)
        self.writes.check_version(standing, item.if_version, after)
        version = standing.version
        record = self.writes.update(standing, after)
        return Written("updated" if record.version > version else "unchanged", record)


class Creates(_Base):
    """Each item is a new record."""

    def load(self, items: Sequence[Item], faults_max: int) -> None:
        self.start(items, faults_max)
        self._values = self.check_all(items)
        if len(items) > 1:
            self.writes.unique.load(one for one in self._values if not isinstance(one, InvalidInput))

    def write(self, place: int) -> Written:
        return self.create(_got(self._values[place]))


class Updates(_Base):
    """Each item is a record's id, and what to change of it."""

    def load(self, items: Sequence[Item], faults_max: int) -> None:
        self.start(items, faults_max)
        if len(items) > 1:
            self.writes.load(item.id for item in items)

    def write(self, place: int) -> Written:
        item = self.items[place]
        return self.update(self.writes.standing(item.id), item)


class Upserts(_Base):
    """Each item is found by the value of one property, or is a new record."""

    def __init__(self, tx: Tx, organization: Organization, writes: RecordWrites, by: str | None) -> None:
        super().__init__(tx, organization, writes, by)
        prop = self.object_.properties.get(by or "")
        self._is_identity = self.object_.slug == CONTACT and by in IDENTITY_KINDS
        if prop is None or not (prop.unique or self._is_identity):
            detail = "must be a unique property, or a contact's `email` or `phone`"
            raise InvalidInput([Fault("/by", "invalid_value", detail)])
        self._by: StoredProperty = prop

    def load(self, items: Sequence[Item], faults_max: int) -> None:
        self.start(items, faults_max)
        self._keys: list[Value | InvalidInput] = [_attempt(self._key, item.properties) for item in items]
        if len(items) > 1:
            keys: list[Value] = [key for key in self._keys if not isinstance(key, InvalidInput)]
            several = [{self._by.slug: key} for key in keys]
            if self._is_identity:
                self.writes.identities.load(several)
            else:
                self.writes.unique.load(several)
            ids = map(self._known, keys)
            self.writes.load(known[0] for known in ids if known)

    def write(self, place: int) -> Written:
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


class Matches(_Base):
    """Each item is matched to a contact by e-mail and phone, as a form's submission is."""

    def __init__(self, tx: Tx, organization: Organization, writes: RecordWrites, by: str | None) -> None:
        super().__init__(tx, organization, writes, by)
        if self.object_.slug != CONTACT:
            detail = "is required: only contacts are matched by e-mail and phone together"
            raise InvalidInput([Fault("/by", "missing", detail)])

    def load(self, items: Sequence[Item], faults_max: int) -> None:
        self.start(items, faults_max)
        self._values = self.check_all(items)
        if len(items) > 1:
            several = [one for one in self._values if not isinstance(one, InvalidInput)]
            self.writes.identities.load(several)
            having = self.writes.identities.having
            known = [
                having(kind, values[kind]) for values in several for kind in IDENTITY_KINDS if kind in values
            ]
            self.writes.load(record_id for ids in known for record_id in sorted(ids))

    def write(self, place: int) -> Written:
        item, values = self.items[place], _got(self._values[place])
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

    def _merge(self, standing: Standing, item: Item, values: Values) -> Written:
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
            return Written("updated", record, tuple(suggested))
        return Written("suggested" if suggested else "unchanged", record, tuple(suggested))


WAYS: Final[Mapping[WayName, Callable[[Tx, Organization, RecordWrites, str | None], Way]]] = {
    "create": Creates,
    "update": Updates,
    "upsert": Upserts,
    "match": Matches,
}
