/** The middle column: a conversation from its head to the field in which it is answered. */
import { useEffect, useState } from "preact/hooks";
import { go, parameter, setParameters } from "../../../house/address";
import { session } from "../../../house/boot";
import { useKeys } from "../../../house/keys";
import { useAnswer } from "../../../house/queries";
import { undoLast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { inbox as words } from "../../../messages/en/inbox";
import { Failure, Notice } from "../../../parts/failure";
import { later } from "../../../parts/later";
import { Skeleton } from "../../../parts/states";
import { Composer, type Mode } from "../composer/composer";
import { useDraftText } from "../composer/draft";
import type { ConversationDetails, Member } from "../shapes";
import { nameOf } from "../shapes";
import { assign, close, reopen, snooze } from "./acts";
import { Head } from "./head";
import { usePresence } from "./presence";
import { Thread } from "./thread";

const AgentPart = later(async () => (await import("./agent_part")).AgentPart);
const Present = later(async () => (await import("./present")).Present);
const SnoozeDialog = later(async () => (await import("./snooze_dialog")).SnoozeDialog);
const RunDialog = later(async () => (await import("./run_dialog")).RunDialog);
const ContactDialog = later(async () => (await import("../contact/contact_dialog")).ContactDialog);

interface ConversationProps {
  id: string;
  members: readonly Member[];
  /** Where the conversation after this one is, or the list where there is none. */
  nextTo: () => string;
  backTo: string;
  contactIsOpen: boolean;
  onContact: () => void;
}

export function Conversation(props: ConversationProps) {
  const { answer, problem, query, isOld } = useAnswer("conversation.get", { id: props.id });
  if (problem?.code === "not_found") {
    return <Notice icon="search" title={words.gone} body={null} action={<a href={props.backTo}>{words.back}</a>} />;
  }
  if (problem && !answer) return <Failure problem={problem} again={() => void query.again()} />;
  if (!answer || isOld) return <Skeleton lines={6} height={64} />;
  return <Shown key={answer.id} conversation={answer} {...props} />;
}

type Open = "snooze" | "merge" | null;

function Shown({
  conversation,
  members,
  nextTo,
  backTo,
  contactIsOpen,
  onContact,
}: ConversationProps & { conversation: ConversationDetails }) {
  const { id, status } = conversation;
  const teams = useAnswer("team.list", {}).answer?.teams ?? [];
  const draft = useDraftText(id, conversation.draft?.text ?? null);
  const [mode, setMode] = useState<Mode>("reply");
  const [open, setOpen] = useState<Open>(null);
  const [seen, setSeen] = useState<string | null>(null);
  const presence = usePresence(id);
  useReading(conversation);
  const closeAndGoOn = async () => {
    const next = nextTo();
    if (status === "closed" || (await close(conversation))) void go(next);
  };
  const snoozeUntil = async (until: string) => {
    setOpen(null);
    const next = nextTo();
    if (await snooze(conversation, until)) void go(next);
  };
  const beginIn = (next: Mode) => {
    setMode(next);
    document.getElementById("composer")?.focus(); // At once: the next key is meant for it.
  };
  useKeys([
    { key: "r", label: words.keys.reply, run: () => beginIn("reply") },
    { key: "n", label: words.keys.note, run: () => beginIn("note") },
    { key: "e", label: words.keys.closeOn, run: () => void closeAndGoOn() },
    { key: "s", label: words.keys.snooze, run: () => setOpen("snooze") },
    // While the last change can be taken back, this key does that, as everywhere.
    { key: "z", label: words.keys.snooze, run: () => void (undoLast() || setOpen("snooze")) },
    ...(status === "closed" ? [{ key: "o", label: words.keys.reopen, run: () => void reopen(conversation) }] : []),
    { key: "a", label: words.keys.assign, run: () => void assign(conversation, { memberId: session.value?.person.id ?? "" }, words.you) },
    { key: "Escape", label: words.back, run: () => void go(backTo) },
  ]);
  useEffect(() => {
    // On a phone the list is gone, and reading begins at the name.
    if (matchMedia("(max-width: 48rem)").matches) document.getElementById("conversation")?.focus({ preventScroll: true });
  }, [id]);
  const putBack = (text: string) => {
    if (!draft.text.startsWith(text)) draft.set([text, draft.text].filter(Boolean).join("\n"));
  };
  const runId = parameter("run");
  return (
    <>
      <Head
        conversation={conversation}
        members={members}
        teams={teams}
        backTo={backTo}
        contactIsOpen={contactIsOpen}
        onContact={onContact}
        onClose={() => void closeAndGoOn()}
        onSnooze={(until) => void snoozeUntil(until)}
        onOtherDay={() => setOpen("snooze")}
        onMerge={() => setOpen("merge")}
      />
      <Thread conversationId={id} name={nameOf(conversation)} onRun={(run) => setParameters({ run })} onText={putBack} onSeen={setSeen} />
      <AgentPart isWanted={status === "open"} conversation={conversation} />
      <Present isWanted={presence.people.length > 0} people={presence.people} />
      <Composer
        conversation={conversation}
        draft={draft}
        members={members}
        mode={mode}
        onMode={setMode}
        seen={seen}
        onTyping={presence.typing}
      />
      <SnoozeDialog isWanted={open === "snooze"} onSnooze={(until) => void snoozeUntil(until)} onClose={() => setOpen(null)} />
      <ContactDialog isWanted={open === "merge"} conversation={conversation} onClose={() => setOpen(null)} />
      <RunDialog isWanted={runId !== null} id={runId ?? ""} onClose={() => setParameters({ run: null }, { replace: true })} />
    </>
  );
}

/** What is in sight is read, as soon as the page is looked at. */
function useReading({ id, unread, mentioned }: ConversationDetails): void {
  const isNew = unread > 0 || mentioned;
  useEffect(() => {
    if (!isNew) return undefined;
    const read = () => void (document.visibilityState === "visible" && write("conversation.mark_read", { id }));
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [id, isNew, unread]);
}
