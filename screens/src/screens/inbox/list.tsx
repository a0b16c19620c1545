/** The first column: views with what waits in them, the search, and the conversations, however many there are. */
import { useEffect, useRef, useState } from "preact/hooks";
import { parameter, setParameters, to } from "../../house/address";
import { formatNumber } from "../../house/formats";
import { useKeys } from "../../house/keys";
import type { LongList } from "../../house/long_lists";
import { useAnswer } from "../../house/queries";
import { inbox as words } from "../../messages/en/inbox";
import { messages, say } from "../../messages/messages";
import { LinkButton } from "../../parts/button";
import { Failure } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/icon_names";
import { Empty, ErrorBox, Skeleton } from "../../parts/states";
import { useWindow } from "../../parts/window";
import { LINE_HEIGHT, Line } from "./line";
import type { Conversation } from "./shapes";
import { COUNTED, ORDER, VIEWS, type View, viewHere } from "./views";
import "../../styles/inbox.css";

const SEARCH_MS = 200;
const SEARCH_CHARS_MAX = 200;

const EMPTY_ICONS: Readonly<Record<View, IconName>> = {
  all: "inbox",
  mine: "user",
  unassigned: "circle-check",
  identify: "circle-check",
  snoozed: "clock",
  closed: "circle-check",
};

interface ListProps {
  list: LongList<Conversation>;
  openId: string | null;
  memberName: (id: string) => string | null;
  /** The open conversation as its own question tells it: read ones are so at once. */
  actions: preact.ComponentChildren;
}

export function ConversationList({ list, openId, memberName, actions }: ListProps) {
  return (
    <section class="inbox-list" aria-label={words.list}>
      <header class="inbox-list-head">
        <h1 tabIndex={-1} id="title">
          {words.title}
        </h1>
        {actions}
      </header>
      <Views />
      <Search />
      <Lines list={list} openId={openId} memberName={memberName} />
    </section>
  );
}

function Views() {
  const here = viewHere();
  const isSearching = Boolean(parameter("q"));
  return (
    <nav class="inbox-views" aria-label={words.views.label}>
      {ORDER.map((view) => (
        <a
          key={view}
          href={to("/app/inbox", { view: view === "all" ? null : view })}
          aria-current={!isSearching && view === here ? "true" : undefined}
        >
          <span>{words.views[view]}</span>
          {COUNTED.includes(view) && <Count view={view} />}
        </a>
      ))}
    </nav>
  );
}

/** How many wait in a view; nothing where none does. */
function Count({ view }: { view: View }) {
  const { answer } = useAnswer("conversation.list", { ...VIEWS[view], limit: 1, total: true });
  const n = answer?.total?.count ?? 0;
  return n > 0 ? <span class={view === "mine" ? "count" : "count count-waits"}>{formatNumber(n)}</span> : null;
}

/** What is typed is in the address a moment later. */
function Search() {
  const asked = parameter("q") ?? "";
  const [text, setText] = useState(asked);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  useEffect(() => {
    if (document.activeElement !== field.current) setText(asked);
  }, [asked]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useKeys([{ key: "/", label: messages.keys.search, run: () => field.current?.focus() }]);
  const show = (q: string) => setParameters({ q: q.trim() || null }, { replace: true });
  return (
    <div class="inbox-search">
      <Icon name="search" />
      <input
        ref={field}
        class="control"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        dir="auto"
        maxLength={SEARCH_CHARS_MAX}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => show(value), SEARCH_MS);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          if (text) {
            clearTimeout(timer.current);
            setText("");
            show("");
          } else event.currentTarget.blur();
        }}
      />
    </div>
  );
}

function Lines({ list, openId, memberName }: Pick<ListProps, "list" | "openId" | "memberName">) {
  const { answer, problem } = list.state.value;
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLUListElement>(null);
  const rows = answer?.rows ?? [];
  const { first, last } = useWindow(scroller, body, { count: rows.length, height: LINE_HEIGHT });
  useEffect(() => list.see(first, last), [list, first, last, rows.length]);
  useLineKeys(rows, openId, scroller);
  if (!answer) {
    return problem ? <Failure problem={problem} again={() => void list.again()} /> : <Skeleton lines={8} height={LINE_HEIGHT} />;
  }
  if (rows.length === 0) return <Nothing />;
  const query = { view: parameter("view"), q: parameter("q") };
  return (
    <div class="inbox-scroll" ref={scroller}>
      {problem && <ErrorBox problem={problem} again={() => void list.again()} />}
      <ul class="lines" ref={body} style={{ blockSize: `${rows.length * LINE_HEIGHT}px` }}>
        {rows.slice(first, last).map((conversation, at) => (
          <Line
            key={conversation.id}
            conversation={conversation}
            at={first + at}
            count={answer.hasMore ? -1 : rows.length}
            isOpen={conversation.id === openId}
            query={query}
            memberName={memberName}
          />
        ))}
      </ul>
    </div>
  );
}

function Nothing() {
  const view = viewHere();
  const search = parameter("q");
  if (search) return <Empty icon="search" title={say(messages.table.noneFound, { text: search })} />;
  const { title, body } = words.empty[view];
  return (
    <Empty
      icon={EMPTY_ICONS[view]}
      title={title}
      action={view === "all" && <LinkButton href="/docs/walk-bridge">{words.connect}</LinkButton>}
    >
      {body}
    </Empty>
  );
}

/** `J K` go from line to line, whether it is drawn or not; `Enter` opens. */
function useLineKeys(rows: readonly Conversation[], openId: string | null, scroller: preact.RefObject<HTMLDivElement | null>): void {
  const at = useRef(-1);
  const move = (step: number) => {
    const focused = document.activeElement?.id.replace("line-", "");
    const found = rows.findIndex(({ id }) => id === focused);
    const from = found >= 0 ? found : rows.findIndex(({ id }) => id === openId);
    at.current = Math.max(0, Math.min(from < 0 ? 0 : from + step, rows.length - 1));
    const row = rows[at.current];
    if (!row || !scroller.current) return;
    const top = at.current * LINE_HEIGHT;
    const { scrollTop, clientHeight } = scroller.current;
    if (top < scrollTop) scroller.current.scrollTop = top;
    else if (top + LINE_HEIGHT > scrollTop + clientHeight) scroller.current.scrollTop = top + LINE_HEIGHT - clientHeight;
    const focus = () => document.getElementById(`line-${row.id}`)?.focus({ preventScroll: true });
    focus();
    // One that has just been scrolled to is drawn with the next frame.
    if (document.activeElement?.id !== `line-${row.id}`) requestAnimationFrame(() => requestAnimationFrame(focus));
  };
  useKeys([
    { key: "j", label: messages.keys.next, run: () => move(1) },
    { key: "k", label: messages.keys.previous, run: () => move(-1) },
    { key: "Enter", label: messages.keys.open, run: () => document.getElementById(`line-${rows[at.current]?.id}`)?.click() },
  ]);
}
