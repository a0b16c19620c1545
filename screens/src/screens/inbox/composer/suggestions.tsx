/** A list over a text field: what fits the word that begins with a sign, chosen by keys or by a click. */
import { useEffect, useId, useState } from "preact/hooks";
import { messages } from "../../../messages/messages";
import { Foreign } from "../../../parts/texts";
import "../../../styles/inbox.css";

export interface Suggestion {
  id: string;
  label: string;
  note?: string | undefined;
}

export interface Suggesting {
  list: preact.ComponentChildren;
  /** True where the key was one of the list's. */
  onKeyDown: (event: KeyboardEvent) => boolean;
  aria: { "aria-controls"?: string; "aria-activedescendant"?: string };
}

interface Options<S extends Suggestion> {
  label: string;
  /** Null while there is nothing to suggest. */
  found: readonly S[] | null;
  onChoose: (one: S) => void;
  onClose: () => void;
  foot?: preact.ComponentChildren;
}

const SHOWN_MAX = 8;

export function useSuggestions<S extends Suggestion>({ label, found, onChoose, onClose, foot }: Options<S>): Suggesting {
  const id = useId();
  const [at, setAt] = useState(0);
  const shown = found?.slice(0, SHOWN_MAX) ?? null;
  useEffect(() => setAt(0), [shown?.map((one) => one.id).join()]);
  if (shown === null) return { list: null, onKeyDown: () => false, aria: {} };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const steps: Record<string, () => void> = {
      ArrowDown: () => setAt((at + 1) % Math.max(shown.length, 1)),
      ArrowUp: () => setAt((at + shown.length - 1) % Math.max(shown.length, 1)),
      Escape: onClose,
    };
    const one = shown[at];
    const isChoice = one && (event.key === "Tab" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey));
    const step = isChoice ? () => onChoose(one) : steps[event.key];
    if (!step) return false;
    event.preventDefault();
    event.stopPropagation();
    step();
    return true;
  };
  const list = (
    <div class="suggestions">
      <ul id={id} role="listbox" aria-label={label}>
        {shown.length === 0 && <li class="soft suggestions-none">{messages.combobox.nothing}</li>}
        {shown.map((one, index) => (
          <li
            key={one.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            class="menu-item"
            onMouseDown={(event) => {
              event.preventDefault(); // The field keeps the focus.
              onChoose(one);
            }}
          >
            <Foreign>{one.label}</Foreign>
            {one.note && (
              <span class="soft one-line">
                <Foreign>{one.note}</Foreign>
              </span>
            )}
          </li>
        ))}
      </ul>
      {foot}
    </div>
  );
  return { list, onKeyDown, aria: { "aria-controls": id, ...(shown[at] && { "aria-activedescendant": `${id}-${at}` }) } };
}

/** The word before the cursor that begins with *sign*, without it; null where there is none. */
export function wordAfter(sign: string, text: string, cursor: number): string | null {
  const before = text.slice(0, cursor);
  const start = before.lastIndexOf(sign);
  const isFirst = start === 0 || /\s/.test(before[start - 1] ?? "");
  const word = before.slice(start + sign.length);
  return start >= 0 && isFirst && !/\n| {2}/.test(word) && word.length <= 40 ? word : null;
}

/** *text* with the word that begins with *sign* before the cursor replaced, and where the cursor is then. */
export function withWord(sign: string, text: string, cursor: number, word: string): { text: string; cursor: number } {
  const start = text.slice(0, cursor).lastIndexOf(sign);
  return { text: text.slice(0, start) + word + text.slice(cursor), cursor: start + word.length };
}
