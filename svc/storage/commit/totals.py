"""The counters of several lanes, added up."""

from collections.abc import Sequence

from svc.histogram import Bucket
from svc.storage.store import StoreStatistics


def total(lanes: Sequence[StoreStatistics]) -> StoreStatistics:
    """The sum of what *lanes* have done, and the most of what is a maximum. There is at least one."""
    if len(lanes) == 1:
        return lanes[0]
    return StoreStatistics(
        queue_depth=sum(one.queue_depth for one in lanes),
        batches=sum(one.batches for one in lanes),
        batches_failed=sum(one.batches_failed for one in lanes),
        units=sum(one.units for one in lanes),
        units_failed=sum(one.units_failed for one in lanes),
        batch_units_last=max(one.batch_units_last for one in lanes),
        batch_units_max=max(one.batch_units_max for one in lanes),
        commit_seconds=sum(one.commit_seconds for one in lanes),
        commit_seconds_max=max(one.commit_seconds_max for one in lanes),
        commits=_added([one.commits for one in lanes]),
        batches_by_units=_added([one.batches_by_units for one in lanes]),
    )


def _added(histograms: Sequence[tuple[Bucket, ...]]) -> tuple[Bucket, ...]:
    return tuple(
        Bucket(buckets[0].upto, sum(bucket.count for bucket in buckets))
        for buckets in zip(*histograms, strict=True)
    )
