"""Synonyms of the verbs in the names of tools, for finding a tool by a plain sentence; nouns have theirs.

They are searched beside the tool's own description, and used nowhere else. A tool whose noun or verb is not
in here is found by its description alone.
"""

from typing import Final

from svc.domain.records.text_search import words
from svc.tools.nouns import WORDS

SILENT: Final = frozenset(
    words(
        """
        a about am an and are as at be been being but by can could did do does doing done each for
        from had has have he her here him his how i if in into is it its just let like ll made may
        might more most much must my now of on once or our ours out please re s she should so some
        such t than that the their them then they those through to too up us ve want was way we were
        when whether while whose will with would you your
        """
    )
)
"""Stop words."""

VERBS: Final = {
    "list": (
        "show which what who all every overview see any are there give tell me find display these our"
        " many kinds is"
    ),
    "get": (
        "show open fetch load what this one detail details everything exactly look see read is view tell"
        " how set"
    ),
    "create": (
        "add make new enter set up start open insert need want build define register generate put keep"
        " collect"
    ),
    "create_many": (
        "import upload load batch bulk mass several many lot spreadsheet csv excel once these whole add"
    ),
    "update": (
        "change edit rename call set put take move switch make turn promote let another instead modify"
        " adjust correct give different"
    ),
    "update_many": (
        "change set mark move bulk mass several many all these those batch once rows records each"
    ),
    "upsert_many": (
        "add or change update known already exists sync synchronise import merge duplicates without bulk"
        " mass several many batch spreadsheet list once match"
    ),
    "upsert": (
        "add or change update known already exists sure sync synchronise duplicate duplicates without insert"
    ),
    "delete": "remove drop throw away get rid of erase discard no more any longer trash need",
    "remove": "delete take off down get rid of no longer use discard stop forever good permanently unhook",
    "discard": (
        "take back delete remove throw away get rid rubbish junk drop upload uploaded unused not needed"
        " mistake wrong accident"
    ),
    "duplicates": "double twice same alike similar doubled duplicate repeated look may which find show",
    "distinguish": (
        "different not same alike apart tell look only distinct separate other two these they mark"
    ),
    "delete_many": (
        "remove drop throw away get rid of erase trash bulk mass several all these together once"
    ),
    "restore_many": (
        "bring back undo undelete recover deleted removed bulk mass several all these together once"
    ),
    "restore": "bring back undo undelete recover accident deleted removed deletion again",
    "revert": "undo take back change changed was before previous wrong mistake roll rollback old value",
    "merge": "same duplicate duplicates combine fold join unite together double deduplicate two into one",
    "search": "find look mention mentions text word words called named anything somebody anywhere spelling",
    "aggregate": (
        "sum total average mean median break down breakdown per each stage month group grouped worth value"
        " report chart statistics revenue highest lowest size"
    ),
    "count": "how many number total amount sum often",
    "timeline": "history happened happen events changes activity past so far log what",
    "publish": (
        "publishable show shown public publicly appear website websites visible hide embed embeds no longer"
    ),
    "pause": "stop halt suspend hide temporarily while off switch now disable hold",
    "resume": "unpause again restart continue back on switch reactivate enable show take",
    "mint": "new create issue make need give generate get",
    "model_restrict": "allow forbid only limit models restrict block permit",
    "statement": "ledger credits balance bill billing account history spent left paid granted",
    "revoke": (
        "stop kill withdraw block leaked stolen hacked compromised cancel invalidate working work disable"
    ),
    "invite": "invitation ask join add new create access mail give bring onboard",
    "deactivate": (
        "block shut out lock left leave leaves leaving quit former ex fired lose access offboard suspend sign"
    ),
    "accept": "yes approve take over agree confirm apply write right",
    "dismiss": "no ignore reject refuse wrong discard throw ours decline",
    "attach": "belongs belong assign link file whose came under person contact decide held match",
    "describe": (
        "parameters parameter input output schema arguments take takes signature explain usage use call how"
    ),
    "preview": "see look before would visitors try",
    "test": "try ping check sample reach reached whether works send",
    "mint_key": "new another key channel need",
    "revoke_key": "stop key channel working withdraw leaked",
    "rotate_secret": "new replace signing secret change",
    "assign": "give hand take care responsible owner let",
    "close": "done finish finished end resolve solved",
    "reopen": "open again finished closed",
    "reply": "answer respond write send back tell",
    "cancel": "stop abort not undo after all waiting",
    "enable": "switch turn on activate start",
    "disable": "switch turn off deactivate stop",
    "run": "start execute by hand now launch trigger",
    "run_list": "when last runs executions carried history",
    "run_get": "execution step failed stopped which one",
    "run_cancel": "abort stop under way execution",
    "trigger_list": "start starts begin which what can events",
    "delivery_list": "failed deliveries notifications attempts sent which",
    "redeliver": "again once more resend failed repeat",
    "model_list": "which models run available",
    "usage": "used spent credits month how many cost",
    "provider_list": "which vendors keys own",
    "provider_set": "use own account key our add",
    "provider_remove": "forget own account key delete",
    "approve": "yes allow let ok accept",
    "reject": "no refuse deny must not",
}
"""By verb."""


def words_for(name: str) -> tuple[str, str]:
    """The synonyms of the noun of a dotted name, and of its verb."""
    noun, _, verb = name.partition(".")
    return WORDS.get(noun, ""), VERBS.get(verb, "")


def nouns_meant(word: str) -> list[str]:
    """The nouns that *word* is a synonym of; only `record` for kinds of records, such as a contact."""
    nouns = [noun for noun, synonyms in WORDS.items() if word in synonyms.split()]
    return ["record"] if "record" in nouns else nouns


def verbs_meant(word: str) -> list[str]:
    """The verbs that *word* is a synonym of."""
    return [verb for verb, synonyms in VERBS.items() if word in synonyms.split()]
