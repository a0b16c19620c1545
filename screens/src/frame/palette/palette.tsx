/** The palette: finds screens, records and all else by a few letters, and does what can be done. */

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { palette } from "../../messages/en/palette";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { type Entry, keepRecent, open } from "./entries";
import { useNamed } from "./named";
import { ownEntries, ranked, settled, stillFits, unasked } from "./ranked";
import { type Found, NOTHING, search } from "./search";

const words = palette;
/** Between letters that follow each other this soon, the service is not asked. */
const PAUSE_MS = 40;
const TEXT_MAX = 200;

/** What is listed for *text*: at once what the page knows, then what the service finds, behind it. */
function useEntries(text: string): { entries: Entry[]; failed: boolean; isSearching: boolean } {
  const own = useRef(ownEntries()).current;
  const named = useNamed();
  const [found, setFound] = useState<Found & { text: string }>({ ...NOTHING, text: "" });
  const typedAt = useRef(Number.NEGATIVE_INFINITY);
  const shown = useRef<{ text: string; entries: Entry[] }>({ text: "", entries: [] });
  useEffect(() => {
    const stop = new AbortController();
    const ask = async () => {
      const result = await search(text, stop.signal);
      if (!stop.signal.aborted) setFound({ ...result, text });
    };
    const isFast = performance.now() - typedAt.current < 2 * PAUSE_MS;
    typedAt.current = performance.now();
    const timer = setTimeout(() => void ask(), isFast ? PAUSE_MS : 0);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  const isSearching = found.text !== text;
  const later = isSearching ? found.entries.filter((entry) => stillFits(entry, text)) : found.entries;
  const known = text === "" ? unasked(own, named) : ranked(text, own, named);
  const ids = new Set(known.map((entry) => entry.id));
  const next = [...known, ...later.filter((entry) => !ids.has(entry.id))];
  const entries = shown.current.text === text ? settled(shown.current.entries, next) : next;
  shown.current = { text, entries };
  return { entries, failed: found.failed, isSearching };
}

/** *early*: what was typed before it was there. */
export function OpenPalette({ early, onClose }: { early: string; onClose: () => void }) {
  const id = useId();
  const [typed, setTyped] = useState(early);
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const text = typed.trim();
  const { entries, failed, isSearching } = useEntries(text);
  const chosen = Math.min(at, entries.length - 1);
  const move = (to: number) => {
    setAt(to);
    list.current?.querySelectorAll("[role=option]")[to]?.scrollIntoView({ block: "nearest" });
  };
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    keepRecent(entry);
    onClose();
    // After the dialog has given the focus back.
    queueMicrotask(() => open(entry));
  };
  return (
    <Dialog title={words.label} onClose={onClose} look="palette" bare>
      <div class="palette">
        <Icon name="search" />
        <input
          class="palette-input"
          role="combobox"
          aria-label={words.label}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={entries[chosen] ? `${id}-${chosen}` : undefined}
          placeholder={words.placeholder}
          autoComplete="off"
          spellcheck={false}
          maxLength={TEXT_MAX}
          autoFocus
          dir="auto"
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
            list.current?.scrollTo(0, 0);
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault();
              if (entries.length > 0) move((chosen + (event.key === "ArrowDown" ? 1 : entries.length - 1)) % entries.length);
            } else if (event.key === "Enter" && !event.isComposing) {
              event.preventDefault();
              run(entries[chosen]);
            }
          }}
        />
        <Button look="quiet" small onClick={onClose}>
          {messages.common.cancel}
        </Button>
      </div>
      <ul id={id} role="listbox" aria-label={words.label} class="palette-list" ref={list}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's.
          <li
            key={`${entry.group} ${entry.id}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            class="menu-item"
            data-group={entry.group === entries[index - 1]?.group ? undefined : words.groups[entry.group]}
            onClick={() => run(entry)}
            onMouseMove={() => setAt(index)}
          >
            <Icon name={entry.icon} />
            <span class="palette-entry">
              <bdi>{entry.label}</bdi>
              {entry.about && <bdi class="soft">{entry.about}</bdi>}
            </span>
            {entry.keys?.split(" ").map((key, place) => (
              <kbd key={`${key} ${place}`}>{key}</kbd>
            ))}
          </li>
        ))}
      </ul>
      <p class="palette-foot soft" role="status">
        {failed
          ? words.failed
          : entries.length === 0 && !isSearching
            ? say(words.nothing, { text })
            : entries.length > 0 && text !== ""
              ? say(words.found, { n: entries.length })
              : words.hint}
      </p>
    </Dialog>
  );
}
