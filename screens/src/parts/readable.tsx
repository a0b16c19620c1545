/** What a tool is given or answers, as a person reads it: names in place of ids, words in place of members. */
import type { ComponentChildren } from "preact";
import { formatDateTime, formatExactly } from "../house/formats";
import { things as words } from "../messages/en/things";
import { say } from "../messages/messages";
import { Copy, Foreign } from "./texts";
import { isId, ObjectName, ThingName } from "./thing_name";
import "../styles/readable.css";

const DEEPEST = 4;
const SHOWN = 10;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** `timeZone` is Time zone, unless there is a better word for it. */
export function memberLabel(member: string): string {
  const known = (words.members as Readonly<Record<string, string>>)[member];
  if (known) return known;
  const spaced = member
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The members of an object, one under the other; those that say nothing are left out. */
export function Members({ of, depth = 0 }: { of: object; depth?: number }) {
  const shown = Object.entries(of).filter(([, value]) => value !== undefined && value !== null);
  if (shown.length === 0) return <span class="soft">{words.nothing}</span>;
  return (
    <dl class={depth === 0 ? "facts" : "facts facts-inner"}>
      {shown.map(([member, value]) => (
        <>
          <dt>{memberLabel(member)}</dt>
          <dd>
            <Readable value={value} member={member} depth={depth} />
          </dd>
        </>
      ))}
    </dl>
  );
}

/** One value; *member* is what it is called where it stands. */
export function Readable({ value, member = "", depth = 0 }: { value: unknown; member?: string; depth?: number }): ComponentChildren {
  if (value === null || value === undefined || value === "") return <span class="soft">{words.nothing}</span>;
  if (typeof value === "boolean") return value ? words.yes : words.no;
  if (typeof value === "number") return formatExactly(value);
  if (typeof value === "string") return <Text text={value} member={member} />;
  if (depth >= DEEPEST) return <code>{JSON.stringify(value)}</code>;
  if (Array.isArray(value)) return <Items items={value} member={member} depth={depth} />;
  return <Members of={value} depth={depth + 1} />;
}

function Text({ text, member }: { text: string; member: string }) {
  if (isId(text)) return <ThingName id={text} />;
  if (member === "objectType") return <ObjectName slug={text} />;
  if (TIME.test(text)) return <time dateTime={text}>{formatDateTime(text)}</time>;
  return <Foreign>{text}</Foreign>;
}

function Items({ items, member, depth }: { items: unknown[]; member: string; depth: number }) {
  if (items.length === 0) return <span class="soft">{words.nothing}</span>;
  return (
    <ul class="readable-items">
      {items.slice(0, SHOWN).map((item, place) => (
        <li key={typeof item === "string" ? item : place}>
          <Readable value={item} member={member} depth={depth + 1} />
        </li>
      ))}
      {items.length > SHOWN && <li class="soft">{say(words.more, { n: items.length - SHOWN })}</li>}
    </ul>
  );
}

/** The same to the letter, behind a click. */
export function Exactly({ value, label = words.exactly }: { value: unknown; label?: string }) {
  return (
    <details class="exactly">
      <summary>{label}</summary>
      <Copy block label={label} text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} />
    </details>
  );
}
