/** The palette: screens, records by search, and what can be done here, by a few letters. */
import { signal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { go, to } from "../house/address";
import { may } from "../house/boot";
import { activeKeys } from "../house/keys";
import { read } from "../house/tools";
import { messages, say } from "../messages/messages";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import type { IconName } from "../parts/icon_names";
import { PLACES } from "../places";
import { addressOf, labelOf, placeAt } from "./match";

const words = messages.palette;
const PAUSE_MS = 150;
const RECORDS_FROM = 2;

interface Entry {
  id: string;
  group: string;
  label: string;
  icon: IconName;
  note?: string;
  run: () => void;
}

export const paletteIsOpen = signal(false);
export const openPalette = (): void => {
  paletteIsOpen.value = true;
};
const close = () => {
  paletteIsOpen.value = false;
};

function screens(): Entry[] {
  return PLACES.filter((place) => place.section && (!place.needs || may(place.needs))).map((place) => ({
    id: place.path,
    group: words.screens,
    label: labelOf(place),
    icon: place.icon ?? "file-text",
    ...(place.go && { note: `G ${place.go.toUpperCase()}` }),
    run: () => void go(to(addressOf(place))),
  }));
}

/** Keys that do something here, other than going and moving. */
function actions(): Entry[] {
  return activeKeys()
    .filter((key) => /^[a-z]$/.test(key.key) && !["j", "k", "x", "z"].includes(key.key))
    .map((key) => ({ id: `key ${key.key}`, group: words.actions, label: key.label, icon: "mouse-pointer-click", note: key.key.toUpperCase(), run: key.run }));
}

/** Records that fit, where there is a screen for records and the person may see them. */
async function records(text: string): Promise<Entry[]> {
  if (text.length < RECORDS_FROM || !may("records.read") || !placeAt("/app/records/contact/x")) return [];
  const found = await read("record.search", { query: text, limit: 6 });
  if (!found.ok) return [];
  return found.answer.records.map((record) => {
    const { properties } = record;
    const name = [properties["first_name"], properties["last_name"], properties["name"]].filter(Boolean).join(" ");
    return {
      id: record.id,
      group: words.records,
      label: name || String(properties["email"] ?? record.id),
      icon: "user",
      note: record.objectType,
      run: () => void go(to(`/app/records/${record.objectType}/${record.id}`)),
    };
  });
}

export function Palette() {
  return paletteIsOpen.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const id = useId();
  const [text, setText] = useState("");
  const [found, setFound] = useState<Entry[]>([]);
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const own = useRef([...actions(), ...screens()]).current;
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const entries = await records(text.trim());
      if (isCurrent) setFound(entries);
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  const wanted = text.trim().toLocaleLowerCase();
  const entries = [...own.filter((entry) => entry.label.toLocaleLowerCase().includes(wanted)), ...found];
  const chosen = Math.min(at, entries.length - 1);
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [chosen]);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    // After the dialog has given the focus back.
    queueMicrotask(entry.run);
  };
  return (
    <Dialog title={words.label} onClose={close} wide bare>
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
          autoFocus
          dir="auto"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault();
              if (entries.length > 0) setAt((chosen + (event.key === "ArrowDown" ? 1 : entries.length - 1)) % entries.length);
            } else if (event.key === "Enter") {
              event.preventDefault();
              run(entries[chosen]);
            }
          }}
        />
      </div>
      <ul id={id} role="listbox" aria-label={words.label} class="palette-list" ref={list}>
        {entries.length === 0 && <li class="soft palette-none">{say(words.nothing, { text })}</li>}
        {entries.map((entry, index) => (
          <li
            key={entry.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            class="menu-item"
            data-group={entry.group === entries[index - 1]?.group ? undefined : entry.group}
            onClick={() => run(entry)}
            onMouseMove={() => setAt(index)}
          >
            <Icon name={entry.icon} />
            <bdi>{entry.label}</bdi>
            {entry.note && <kbd>{entry.note}</kbd>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
