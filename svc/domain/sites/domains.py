"""Domains of sites, which belong to one owner.

Forms and embeds that are bound to a site accept its domain and all subdomains. Below a public suffix, such as
`co.uk` or `github.io`, are the pages of many owners. Mozilla's list says which suffixes these are, as in
browsers for cookies; it comes with a package, and takes 4 MiB and 80 ms when it is first needed.
"""

from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING

from svc.domain.errors import Fault, InvalidValue
from svc.domain.net.origins import normalise_domain
from svc.domain.sites.limits import SITE_LABELS_MAX

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


def site_domain(text: str) -> str:
    """The domain of the site that *text* names, as `normalise_domain` has it.

    Raises `InvalidValue` without a domain, for a public suffix, and for more than `SITE_LABELS_MAX` labels.
    """
    domain = normalise_domain(text)
    if domain.count(".") >= SITE_LABELS_MAX:
        raise InvalidValue(f"a site's domain has at most {SITE_LABELS_MAX} labels")
    if is_shared(domain):
        raise InvalidValue(
            f"{domain} is a public suffix, below which anybody can have a page: name your own domain below it"
        )
    return domain


def is_shared(domain: str) -> bool:
    """Whether *domain*, as `normalise_domain` returns it, is a public suffix."""
    return domain != "localhost" and not _is_address(domain) and _suffixes().is_public(domain)


def binding_faults(domain: str) -> list[Fault]:
    """The faults of a binding to the site at *domain*, which may be stored from before such were rejected."""
    if not is_shared(domain):
        return []
    detail = f"strangers have pages below {domain}: move the site to your own domain below it"
    return [Fault("/siteId", "invalid_value", detail)]


def _is_address(domain: str) -> bool:
    try:
        ip_address(domain.strip("[]"))
    except ValueError:
        return False
    return True


@cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  # most processes never make a site

    return PublicSuffixList()
