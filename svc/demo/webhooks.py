"""The subscriptions of the examples."""

from ipaddress import ip_network
from urllib.parse import urlsplit

from svc.demo.channels import SPARE_BRIDGE_URL
from svc.domain.webhooks.subscriptions import SubscriptionSettings
from svc.storage.store import Tx
from svc.storage.webhooks import deliveries, webhooks


def example_webhooks(
    tx: Tx, organization_id: str, webhook_id: str, delivery_id: str
) -> dict[str, dict[str, str]]:
    """Subscriptions to what seldom happens, at an address of this machine, to which nothing is sent.

    By tool, the ids of the one to show and of the one to delete in place of the made-up ids.
    """
    kept, ended = (_subscribe(tx, organization_id, name) for name in ("Order system", "Old order system"))
    test = deliveries.queue_test(tx, organization_id, kept)
    return {"*": {webhook_id: kept, delivery_id: test}, "webhook.delete": {webhook_id: ended}}


def _subscribe(tx: Tx, organization_id: str, name: str) -> str:
    url = urlsplit(SPARE_BRIDGE_URL)._replace(path="/events").geturl()
    settings = SubscriptionSettings(url=url, events=("workflow.run_failed",), name=name)
    subscription, _ = webhooks.create(tx, organization_id, settings, allowed=(ip_network("127.0.0.0/8"),))
    return subscription.id
