/** What was said, the latest at the end, in sight as it comes; and what is on its way from this browser. */
import { Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { localTime } from "../../../house/days";
import { formatWholeDay } from "../../../house/formats";
import { useList } from "../../../house/lists";
import { nounsOf } from "../../../house/queries";
import { inbox as words } from "../../../messages/en/inbox";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { Failure } from "../../../parts/failure";
import { Icon } from "../../../parts/icon";
import { ErrorBox, Skeleton } from "../../../parts/states";
import { settle, useOutgoing } from "../composer/outgoing";
import { OutgoingLine } from "../composer/outgoing_line";
import type { Message } from "../shapes";
import { authorOf, MessageLine } from "./message";
import "../../../styles/inbox.css";

/** Messages of one author within so long stand under one head. */
const TOGETHER_MS = 5 * 60_000;
const AT_END_PX = 40;

interface ThreadProps {
  conversationId: string;
  name: string;
  onRun: (runId: string) => void;
  onText: (text: string) => void;
  /** The newest message that is shown, notes apart. */
  onSeen: (messageId: string | null) => void;
}

export function Thread({ conversationId, name, onRun, onText, onSeen }: ThreadProps) {
  const list = useList("message.list", "messages", { conversationId }, nounsOf("message.list"));
  const messages = useMemo(() => list.rows?.toReversed(), [list.rows]);
  const outgoing = useOutgoing(conversationId);
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const newest = messages?.at(-1)?.id;
  const seen = useRef(newest);
  if (isAtEnd) seen.current = newest;
  // One that has come to the list is not told twice.
  useEffect(() => settle(conversationId, new Set(messages?.map(({ id }) => id))), [messages]);
  useEffect(() => onSeen(messages?.findLast(({ direction }) => direction !== "note")?.id ?? null), [messages]);
  const toEnd = () => scroller.current?.scrollTo({ top: 0 });
  useEffect(toEnd, [conversationId, outgoing.length]);
  if (!messages) {
    return list.problem ? <Failure problem={list.problem} again={list.again} /> : <Skeleton lines={5} height={64} />;
  }
  const unseen = messages.length - 1 - messages.findIndex(({ id }) => id === seen.current);
  return (
    <div class="thread-frame">
      {list.problem && <ErrorBox problem={list.problem} again={list.again} />}
      <div
        class="thread"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
        tabIndex={0}
        role="log"
        aria-label={words.messages}
        // It is turned over, so that its end is where it begins: what comes above moves nothing.
        onScroll={({ currentTarget: { scrollTop } }) => setAtEnd(scrollTop > -AT_END_PX)}
      >
        <ol class="messages">
          <li class="messages-start">{list.hasMore ? <Earlier more={list.more} /> : <span class="soft">{words.beginning}</span>}</li>
          {messages.map((message, at) => {
            const before = messages[at - 1];
            const isNewDay = !before || dayOf(before) !== dayOf(message);
            return (
              <Fragment key={message.id}>
                {isNewDay && (
                  <li class="messages-day">
                    <span>{dayText(dayOf(message))}</span>
                  </li>
                )}
                <MessageLine
                  message={message}
                  follows={!isNewDay && before !== undefined && goesOn(before, message)}
                  name={name}
                  onRun={onRun}
                  onText={onText}
                />
              </Fragment>
            );
          })}
          {outgoing.map((one) => (
            <OutgoingLine key={one.key} outgoing={one} onText={onText} />
          ))}
        </ol>
      </div>
      {!isAtEnd && unseen > 0 && (
        <button type="button" class="thread-new" onClick={toEnd}>
          <Icon name="arrow-down" size={14} /> {say(words.newMessages, { n: unseen })}
        </button>
      )}
    </div>
  );
}

/** Asks for what was said before as soon as it is in sight. */
function Earlier({ more }: { more: () => void }) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && more(), { rootMargin: "400px" });
    if (line.current) watch.observe(line.current);
    return () => watch.disconnect();
  });
  return (
    <div ref={line}>
      <Button look="quiet" small onClick={more}>
        {words.earlier}
      </Button>
    </div>
  );
}

const dayOf = ({ createdAt }: Message): string => localTime(createdAt).slice(0, 10);

function dayText(day: string): string {
  const today = localTime(new Date().toISOString()).slice(0, 10);
  const yesterday = new Date(Date.parse(`${today}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
  if (day === today) return words.today;
  return day === yesterday ? words.yesterday : formatWholeDay(day);
}

function goesOn(before: Message, message: Message): boolean {
  return (
    authorOf(before) === authorOf(message) &&
    authorOf(message) !== "note" &&
    before.author?.name === message.author?.name &&
    before.sender?.name === message.sender?.name &&
    (before.status === null || before.status === message.status) &&
    Date.parse(message.createdAt) - Date.parse(before.createdAt) < TOGETHER_MS
  );
}
