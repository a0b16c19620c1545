/** What to look at first: the actors in trouble and the stored work that has waited for long, in a sentence each. */
import { debug as words } from "../messages/en/debug";
import { say } from "../messages/messages";
import { setParameters } from "./address";
import { duration } from "./figures";
import { actors, subscription, tellsAt, waiting } from "./live";
import { type ActorRow, actorOf, idOf, type WaitingNoun, type WaitingQueue } from "./types";

/** A turn or a wait of that length is no healthy one; nor is a task of five times that. */
const LONG_SECONDS = 2;
const TASK_SECONDS = 10;
/** Stored work is done within seconds where nothing is in its way. */
const STORED_SECONDS = 30;
const SHOWN_MAX = 3;

export function First() {
  const rows = actors.value;
  const { sort, key } = subscription();
  // In another order, or of a part, those in trouble need not be among what is listed.
  if (rows === undefined || sort !== "trouble" || key !== "") return null;
  const found = rows.flatMap((row) => {
    const troubles = troublesOf(row);
    return troubles.length > 0 ? [{ row, troubles }] : [];
  });
  const overdue = (waiting.value ?? []).flatMap((noun) => {
    const queue = noun.queues.find(({ actor }) => actor !== null);
    return queue && ageOf(queue) >= STORED_SECONDS ? [{ noun, queue }] : [];
  });
  return (
    <section class="debug-first" aria-labelledby="first">
      <h2 id="first">{words.first.label}</h2>
      {found.length + overdue.length === 0 ? (
        <p class="soft">{words.first.nothing}</p>
      ) : (
        <ul>
          {found.slice(0, SHOWN_MAX).map(({ row, troubles }) => (
            <Item key={idOf(row)} ofKind={row.kind} ofKey={row.key} about={troubles.join("; ")} />
          ))}
          {overdue.map(({ noun, queue }) => {
            const { kind, key } = actorOf(queue.actor ?? "");
            return <Item key={noun.noun} ofKind={kind} ofKey={key} about={waitsOf(noun, queue)} />;
          })}
        </ul>
      )}
      {found.length > SHOWN_MAX && <p class="soft debug-note">{say(words.first.more, { n: found.length - SHOWN_MAX })}</p>}
    </section>
  );
}

function Item({ ofKind, ofKey, about }: { ofKind: string; ofKey: string; about: string }) {
  return (
    <li>
      <button type="button" class="debug-choice" onClick={() => setParameters({ ofKind, ofKey })}>
        {ofKind} <span class="mono">{ofKey}</span>
      </button>
      <span>{about}.</span>
    </li>
  );
}

const ageOf = ({ oldestSince }: WaitingQueue) => Math.max(0, tellsAt.value - oldestSince) / 1_000;

function waitsOf({ noun }: WaitingNoun, queue: WaitingQueue): string {
  const values = { n: queue.count, what: words.waiting.nouns[noun].toLowerCase(), why: queue.why, organization: queue.organizationId };
  return say(words.first.stored, { ...values, time: duration(ageOf(queue)) });
}

function troublesOf(row: ActorRow): string[] {
  const { phase, turn, turnAgeSeconds, task, taskAgeSeconds, mailboxDepth, mailboxOldestSeconds, crashes, guardedWaits } = row;
  const error = row.lastError ?? words.first.unknown;
  if (phase === "quarantined") return [say(words.first.quarantined, { error })];
  const troubles: string[] = [];
  if (phase === "backing_off") troubles.push(say(words.first.backingOff, { error }));
  else if (crashes > 0) troubles.push(say(words.first.crashed, { n: crashes, error }));
  const isLong = (turnAgeSeconds ?? 0) >= LONG_SECONDS;
  if (isLong) {
    const message = guardedWaits > 0 ? words.first.turnAtDisk : words.first.turn;
    troubles.push(say(message, { turn: turn ?? "", time: duration(turnAgeSeconds ?? 0) }));
  }
  if (mailboxDepth > 0 && (mailboxOldestSeconds ?? 0) >= LONG_SECONDS) {
    const message = isLong ? words.first.wait : words.first.waitForSlow;
    troubles.push(say(message, { n: mailboxDepth, time: duration(mailboxOldestSeconds ?? 0) }));
  }
  if ((taskAgeSeconds ?? 0) >= TASK_SECONDS) {
    troubles.push(say(words.first.task, { task: task ?? "", time: duration(taskAgeSeconds ?? 0) }));
  }
  return troubles;
}
