"""The catalogue of guides, by readership."""

from typing import Final, NamedTuple


class Guide(NamedTuple):
    """A page of `docs/`."""

    name: str
    title: str
    """The title in lists; the page's own heading may be longer."""
    about: str


class Shelf(NamedTuple):
    """Guides for the same readers."""

    name: str
    title: str
    about: str
    guides: tuple[Guide, ...]


SHELVES: Final = (
    Shelf(
        "start",
        "New here",
        "From nothing to a first call, and once through each door. Five minutes each.",
        (
            Guide("quickstart", "Quickstart", "Start the demo, call a tool, see what came of it."),
            Guide("screens", "The screens", "Where people work: Home, search, records; ten tasks of a day."),
            Guide(
                "walk-form", "A form, a contact, a deal", "Send a website's form and follow it to its deal."
            ),
            Guide("walk-mcp", "MCP in two minutes", "Give an AI client the tools, and let it call one."),
            Guide("walk-bridge", "A bridge to a messenger", "Bring a message in, answer it, report it sent."),
        ),
    ),
    Shelf(
        "build",
        "For builders",
        "What each door takes, answers and promises.",
        (
            Guide("tool-api", "Tool API", "Keys, errors, budget, safe retries, lists, versions, clients."),
            Guide(
                "home", "Home and search", "What waits, how it goes, and finding anything by a few letters."
            ),
            Guide("records", "Records", "Values, filters, sorts, search, upsert, merge and undo."),
            Guide("import-and-export", "Import and export", "Files of records in and out; spreadsheets."),
            Guide("mcp", "MCP", "Connecting the usual AI clients; finding and calling tools."),
            Guide("connected-apps", "Connected apps", "Claude, ChatGPT, Cursor: by one address and *Allow*."),
            Guide("forms", "Form endpoint", "What a website posts, how it is answered, how it is filed."),
            Guide("embeds", "Embeds", "Live records and forms on pages that are hosted elsewhere."),
            Guide("sites-and-visits", "Sites and visits", "Tracked websites, and what is kept of a visit."),
            Guide("inbox", "The inbox", "Answering together: lists, drafts, notes, snoozes, saved replies."),
            Guide("channels", "Channels", "The five doors for bridges: leases, pushes and signatures."),
            Guide("bridges", "Bridges", "A bridge in fifty lines of Python, with the client kit."),
            Guide("files", "Files", "Pictures and documents: uploaded, used, fetched, removed."),
            Guide("webhooks", "Webhooks and events", "What happens, pushed to you or pulled; signatures."),
            Guide("gateway", "AI gateway", "Language models by one address and key; what a call costs."),
            Guide("workflows", "Workflows", "What happens by itself when something else does, step by step."),
            Guide("agent", "Agents", "What answers conversations by itself, and what it may reach."),
            Guide(
                "approvals",
                "Approvals",
                "What an agent may only ask for, who decides, and what is then done.",
            ),
            Guide(
                "people-and-keys",
                "People and keys",
                "Accounts, roles, signing in, API keys, the audit trail.",
            ),
            Guide("limits", "Limits", "Every limit there is, in one table."),
        ),
    ),
    Shelf(
        "operate",
        "For operators",
        "Running it, looking into it, and what it is made of.",
        (
            Guide("install", "Installing", "One file, a Debian package or a container; proxies in front."),
            Guide("configuration", "Configuration", "Every setting, the command line, backups."),
            Guide("postgresql", "PostgreSQL", "The data in a database server, and what is different then."),
            Guide("certificates", "Certificates", "TLS for the service's own name, by ACME."),
            Guide("leaving", "Leaving, erasing", "A whole organization out; a person removed from it."),
            Guide("mail", "Mail", "A mail server, what is mailed to whom, notices, proven addresses."),
            Guide("troubleshooting", "Troubleshooting", "Symptoms by the line that one sees."),
            Guide("operator", "Operator's listener", "Health checks, and a view into every actor."),
            Guide("actors", "Actors", "The actor runtime, for authors of actors."),
            Guide("releasing", "Releasing", "What a release has, and how one is made."),
            Guide("glossary", "Glossary", "This project's words, each with its standard term."),
        ),
    ),
)
GUIDES: Final = {guide.name: guide for shelf in SHELVES for guide in shelf.guides}


def shelf_of(name: str) -> Shelf:
    """The shelf of the guide *name*."""
    return next(shelf for shelf in SHELVES if any(guide.name == name for guide in shelf.guides))


def following(name: str) -> Guide | None:
    """The guide after *name* on its shelf."""
    order = list(GUIDES)
    if name not in GUIDES or name == shelf_of(name).guides[-1].name:
        return None
    return GUIDES[order[order.index(name) + 1]]
