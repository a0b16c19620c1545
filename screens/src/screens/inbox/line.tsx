/** A conversation in the list: who, their last words, since when, and whether anybody looks after it. */
import { to } from "../../house/address";
import { formatDateTime } from "../../house/formats";
import { inbox as words } from "../../messages/en/inbox";
import { say } from "../../messages/messages";
import { Avatar } from "../../parts/avatar";
import { Icon } from "../../parts/icon";
import { Foreign, RelativeTime } from "../../parts/texts";
import { type Conversation, isMe, messengerOf, nameOf } from "./shapes";
import "../../styles/inbox.css";

export const LINE_HEIGHT = 76;

interface LineProps {
  conversation: Conversation;
  at: number;
  count: number;
  isOpen: boolean;
  /** Parameters of the address that stay while one goes through the list. */
  query: Record<string, string | null>;
  memberName: (id: string) => string | null;
}

export function Line({ conversation, at, count, isOpen, query, memberName }: LineProps) {
  const { id, last, unread, lastMessageAt } = conversation;
  const name = nameOf(conversation);
  return (
    <li
      class="line"
      style={{ insetBlockStart: `${at * LINE_HEIGHT}px` }}
      aria-posinset={at + 1}
      aria-setsize={count}
      data-unread={unread > 0 ? "" : undefined}
    >
      <a id={`line-${id}`} data-row href={to(`/app/inbox/${id}`, query)} aria-current={isOpen ? "true" : undefined}>
        <Avatar name={name} of={conversation.kind === "group" ? "organization" : "person"} />
        <span class="line-head">
          <span class="line-name one-line">
            <Foreign>{name}</Foreign>
          </span>
          <span class="line-at">
            <RelativeTime at={last?.at ?? lastMessageAt} />
          </span>
        </span>
        <span class="line-words">
          <LastWords of={conversation} />
          <Marks of={conversation} memberName={memberName} />
        </span>
      </a>
    </li>
  );
}

function LastWords({ of: { last } }: { of: Conversation }) {
  if (!last) return <span class="soft">{words.noWords}</span>;
  const isOwn = last.direction === "out";
  const author = isOwn ? (last.author ?? words.fromOutside) : null;
  return (
    <span class="two-line-text">
      {author && (
        <span class="line-author">
          <Foreign>{author}</Foreign>:{" "}
        </span>
      )}
      {last.text ? <Foreign>{last.text}</Foreign> : <em>{words.attachment}</em>}
    </span>
  );
}

/** Signs at the end of a line, the most urgent last. */
function Marks({ of: conversation, memberName }: { of: Conversation; memberName: LineProps["memberName"] }) {
  const { memberId, heldReason, snoozedUntil, unread, mentioned } = conversation;
  const member = memberId === null ? null : isMe(memberId) ? words.you : memberName(memberId);
  return (
    <span class="line-marks">
      <span class="line-channel">{messengerOf(conversation)}</span>
      {snoozedUntil && (
        <span title={say(words.snoozedUntil, { when: formatDateTime(snoozedUntil) })}>
          <Icon name="clock" size={14} label={say(words.snoozedUntil, { when: formatDateTime(snoozedUntil) })} />
        </span>
      )}
      {heldReason && (
        <span class="line-held" title={words.isHeld}>
          <Icon name="user-search" size={14} label={words.isHeld} />
        </span>
      )}
      {member && (
        <span class="line-member" title={say(words.isAssigned, { name: member })}>
          <span class="hidden">{say(words.isAssigned, { name: member })}</span>
          <Avatar name={memberName(memberId ?? "") ?? member} />
        </span>
      )}
      {mentioned && (
        <span class="count line-unread">
          <span aria-hidden="true">@</span>
          <span class="hidden">{words.mentioned}</span>
        </span>
      )}
      {unread > 0 && (
        <span class="count line-unread">
          <span aria-hidden="true">{unread}</span>
          <span class="hidden">{say(words.unread, { n: unread })}</span>
        </span>
      )}
    </span>
  );
}
