/** One message: from the other side, from ours with how far it has come, or a note for colleagues. */
import { useAct } from "../../../house/acts";
import { formatDateTime, formatTime } from "../../../house/formats";
import { toast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { inbox as words } from "../../../messages/en/inbox";
import { say } from "../../../messages/messages";
import { Avatar } from "../../../parts/avatar";
import { Button } from "../../../parts/button";
import { Icon } from "../../../parts/icon";
import type { IconName } from "../../../parts/icon_names";
import { later } from "../../../parts/later";
import { Foreign } from "../../../parts/texts";
import type { Message } from "../shapes";
import "../../../styles/inbox.css";

const Attachments = later(async () => (await import("./attachments")).Attachments);

interface MessageProps {
  message: Message;
  /** Whether it goes on after one of the same author: then it has no head. */
  follows: boolean;
  /** What the other side is called. */
  name: string;
  /** Show the run of the agent that wrote it. */
  onRun: (runId: string) => void;
  /** Put a text back into the field. */
  onText: (text: string) => void;
}

type Author = "them" | "us" | "agent" | "note";

export function authorOf({ direction, author }: Message): Author {
  if (direction === "note") return "note";
  if (direction === "in") return "them";
  return author?.kind === "agent" ? "agent" : "us";
}

export function MessageLine({ message, follows, name, onRun, onText }: MessageProps) {
  const by = authorOf(message);
  const who = by === "them" ? (message.sender?.name ?? name) : (message.author?.name ?? words.fromOutside);
  const runId = message.author?.id ?? null;
  return (
    <li class="message" data-by={by} data-follows={follows ? "" : undefined} id={message.id}>
      {!follows && (
        <div class="message-head">
          {by === "agent" ? (
            <span class="message-agent" title={words.byAgent}>
              <Icon name="sparkles" size={14} label={words.byAgent} />
            </span>
          ) : (
            <Avatar name={who} />
          )}
          <strong>
            <Foreign>{by === "agent" ? words.agent : who}</Foreign>
          </strong>
          {by === "note" && (
            <span class="message-note">
              <Icon name="lock" size={14} /> {words.noteHint}
            </span>
          )}
          <time dateTime={message.createdAt} title={formatDateTime(message.createdAt)}>
            {formatTime(message.createdAt)}
          </time>
        </div>
      )}
      <div class="bubble">
        {message.text && (
          <p class="bubble-text">
            <Foreign>{message.text}</Foreign>
          </p>
        )}
        <Attachments isWanted={message.attachments.length > 0} of={message.attachments} />
      </div>
      {message.status !== null && <Status message={message} onText={onText} />}
      {by === "agent" && runId && (
        <button type="button" class="message-act" onClick={() => onRun(runId)}>
          {words.run}
        </button>
      )}
    </li>
  );
}

const STATES: Readonly<Record<NonNullable<Message["status"]>, keyof typeof words.states>> = {
  waiting: "queued",
  taken: "sending",
  sent: "sent",
  delivered: "delivered",
  read: "read",
  failed: "failed",
  cancelled: "cancelled",
};
const SIGNS: Readonly<Record<keyof typeof words.states, IconName>> = {
  queued: "clock",
  sending: "clock",
  sent: "check",
  delivered: "check-check",
  read: "check-check",
  failed: "circle-alert",
  cancelled: "x",
};

/** How far a reply has come, and what can still be done about it. */
function Status({ message, onText }: { message: Message; onText: (text: string) => void }) {
  const state = STATES[message.status ?? "waiting"];
  const cancel = useAct(async () => {
    const result = await write("message.cancel", { id: message.id });
    if (!result.ok) toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
    else if (message.text) {
      onText(message.text);
      toast(words.cancelled);
    }
    return result;
  });
  const again = useAct(async () => {
    const result = await write("message.send_again", { id: message.id });
    if (!result.ok) toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
    return result;
  });
  return (
    <div class="message-state" data-state={state}>
      <Icon name={SIGNS[state]} size={14} />
      <span>{words.states[state]}</span>
      {state === "failed" && <span class="message-why">{whyOf(message)}</span>}
      {state === "queued" && (
        <Button look="quiet" small busy={cancel.busy} onClick={() => void cancel.run()}>
          {words.cancel}
        </Button>
      )}
      {state === "failed" && message.sentAgainAs === null && (
        <Button look="quiet" small icon="redo-2" busy={again.busy} onClick={() => void again.run()}>
          {words.sendAgain}
        </Button>
      )}
    </div>
  );
}

/** Why a reply failed, with the bridge's own words where it has any. */
function whyOf({ failure, error }: Message) {
  const why = failure === null ? "" : words.failures[failure];
  const told = error?.message ?? error?.code;
  return told ? <Foreign>{say(words.asWords, { why, words: told })}</Foreign> : why;
}
