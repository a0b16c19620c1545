/** All kinds with their figures; a kind is a choice of what is listed. */
import { debug as words } from "../messages/en/debug";
import { setParameters } from "./address";
import { count, duration, orDash, rate, share } from "./figures";
import { kinds, subscription } from "./live";
import type { Kind } from "./types";

export function Kinds() {
  const chosen = subscription().kind;
  const { label, all, about, ...heads } = words.kinds;
  return (
    <section class="debug-kinds" aria-label={label}>
      <table class="debug-table">
        <thead>
          <tr>
            {Object.entries(heads).map(([name, head]) => (
              <th key={name} class={name === "kind" ? undefined : "number"} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row kind={sum(kinds.value)} name={all} isChosen={chosen === undefined} choose={undefined} />
          {kinds.value.map((kind) => (
            <Row key={kind.kind} kind={kind} name={kind.kind} isChosen={chosen === kind.kind} choose={kind.kind} />
          ))}
        </tbody>
      </table>
      <p class="soft debug-note">{about}</p>
    </section>
  );
}

function Row({ kind, name, isChosen, choose }: { kind: Kind; name: string; isChosen: boolean; choose: string | undefined }) {
  const { lastMinute: last } = kind;
  const isQuiet = kind.active + kind.quarantined + last.turns + last.refused === 0;
  return (
    <tr data-chosen={isChosen || undefined} data-quiet={isQuiet || undefined}>
      <th scope="row">
        <button
          type="button"
          class="debug-choice"
          aria-pressed={isChosen}
          onClick={() => setParameters({ kind: choose, limit: undefined })}
        >
          {name}
        </button>
      </th>
      <td class="number">{orDash(kind.active)}</td>
      <td class="number">{orDash(kind.mailboxDepth)}</td>
      <td class="number">{orDash(kind.mailboxDepth, duration(kind.mailboxOldestSeconds))}</td>
      <td class="number">{rate(last.turns, last.seconds)}</td>
      <td class="number">{share(last.runSeconds, last.seconds)}</td>
      <td class="number" data-bad={last.crashes > 0 || undefined}>
        {orDash(last.crashes)}
      </td>
      <td class="number" data-bad={kind.quarantined > 0 || undefined}>
        {orDash(kind.quarantined, count(kind.quarantined))}
      </td>
    </tr>
  );
}

/** All kinds together. */
function sum(all: readonly Kind[]): Kind {
  const add = (figure: (kind: Kind) => number) => all.reduce((before, kind) => before + figure(kind), 0);
  return {
    kind: "",
    active: add((kind) => kind.active),
    quarantined: add((kind) => kind.quarantined),
    mailboxDepth: add((kind) => kind.mailboxDepth),
    mailboxOldestSeconds: Math.max(0, ...all.map((kind) => kind.mailboxOldestSeconds)),
    turns: add((kind) => kind.turns),
    crashes: add((kind) => kind.crashes),
    refused: add((kind) => kind.refused),
    lastMinute: {
      seconds: Math.max(1, ...all.map((kind) => kind.lastMinute.seconds)),
      turns: add((kind) => kind.lastMinute.turns),
      crashes: add((kind) => kind.lastMinute.crashes),
      refused: add((kind) => kind.lastMinute.refused),
      runSeconds: add((kind) => kind.lastMinute.runSeconds),
    },
  };
}
