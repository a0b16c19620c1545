import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { parameter, setParameters } from "../house/address";
import { useKeys } from "../house/keys";
import { messages, say } from "../messages/messages";
import type { Choice } from "./field";
import { Icon } from "./icon";
import { Empty } from "./states";

const PAUSE_MS = 200;

/** The search of a list, in the parameter `q` of the address. `/` goes there, `Esc` empties it. */
export function Search({ label }: { label: string }) {
  const asked = parameter("q") ?? "";
  const [text, setText] = useState(asked);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  useKeys([{ key: "/", label: messages.keys.search, run: () => input.current?.focus() }]);
  useEffect(() => {
    if (document.activeElement !== input.current) setText(asked);
  }, [asked]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (typed: string, pause = PAUSE_MS) => {
    setText(typed);
    clearTimeout(timer.current);
    // One entry of the history for the search, however it was typed.
    timer.current = window.setTimeout(() => setParameters({ q: typed.trim(), open: null }, { replace: asked !== "" }), pause);
  };
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        ref={input}
        id="search"
        class="control"
        type="search"
        dir="auto"
        aria-label={label}
        placeholder={messages.nav.search}
        value={text}
        onInput={(event) => search(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          if (text) search("", 0);
          input.current?.blur();
        }}
      />
    </div>
  );
}

interface Found<R> {
  rows: readonly R[] | undefined;
  /** The field, where there is something to search. */
  search: ComponentChildren;
  /** Said where the search finds nothing. */
  none: ComponentChildren;
}

/** Those of *rows* whose text has what is searched for: in lists that are short enough to be read whole. */
export function useFound<R>(
  label: string,
  rows: readonly R[] | undefined,
  textOf: (row: R) => string,
  rest?: { hasMore: boolean; more: () => void },
): Found<R> {
  const text = parameter("q");
  const hasMore = rest?.hasMore ?? false;
  const search = rows?.length !== 0 && (
    <div class="filters">
      <Search label={label} />
    </div>
  );
  useEffect(() => {
    if (text && hasMore) rest?.more();
  }, [text, hasMore, rows?.length]);
  if (!text) return { rows, search, none: null };
  const wanted = text.toLocaleLowerCase();
  const found = rows?.filter((row) => textOf(row).toLocaleLowerCase().includes(wanted));
  const isLooking = found?.length === 0 && hasMore;
  return { rows: isLooking ? undefined : found, search, none: <Empty icon="search" title={say(messages.table.noneFound, { text })} /> };
}

interface FilterProps {
  /** The parameter of the address in which the choice stands. */
  name: string;
  label: string;
  /** What no choice is called: `Any form`. */
  any: string;
  choices: readonly Choice<string>[];
}

/** A filter of a list with many choices; with few, use `Tabs`. */
export function Filter({ name, label, any, choices }: FilterProps) {
  const chosen = parameter(name) ?? "";
  return (
    <div class="select filter">
      <select
        class="control"
        aria-label={label}
        value={chosen}
        onChange={(event) => setParameters({ [name]: event.currentTarget.value || null, open: null })}
      >
        <option value="">{any}</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === chosen}>
            {choice.label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </div>
  );
}
