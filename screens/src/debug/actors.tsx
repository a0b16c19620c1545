/** The first actors of the choice, in its order. */
import { debug as words } from "../messages/en/debug";
import { say } from "../messages/messages";
import { Button } from "../parts/button";
import { Icon } from "../parts/icon";
import { Empty, Skeleton } from "../parts/states";
import { parameters, setParameters } from "./address";
import { duration, orDash, phaseOf } from "./figures";
import { actors, LIMIT_MAX, PAGE, subscription, total } from "./live";
import { type ActorRow, idOf, SORTS } from "./types";

/** Phases in which an actor does what it should; the others are marked. */
const WELL = new Set(["waiting", "running", "loading", "passivating"]);

export function Actors() {
  const { kind, key, sort, limit } = subscription();
  const rows = actors.value;
  return (
    <section class="debug-actors" aria-labelledby="actors">
      <header>
        <h2 id="actors">{kind ? say(words.actors.of, { kind }) : words.actors.label}</h2>
        <span class="soft">
          {rows && rows.length < total.value
            ? say(words.actors.listed, { shown: rows.length, n: total.value })
            : say(words.actors.count, { n: total.value })}
        </span>
        <span class="search">
          <Icon name="search" />
          <input
            type="search"
            class="control"
            aria-label={words.actors.find}
            placeholder={words.actors.find}
            value={key}
            maxLength={200}
            onInput={({ currentTarget }) => setParameters({ key: currentTarget.value }, { replace: true })}
          />
        </span>
        <select
          class="control"
          aria-label={words.actors.sort}
          value={sort}
          onChange={({ currentTarget }) => setParameters({ sort: currentTarget.value }, { replace: true })}
        >
          {SORTS.map((one) => (
            <option key={one} value={one}>
              {words.actors.sorts[one]}
            </option>
          ))}
        </select>
      </header>
      {rows === undefined ? (
        <Skeleton head="rows" />
      ) : rows.length === 0 ? (
        <Nothing isSearch={key !== ""} />
      ) : (
        <List rows={rows} hasKind={kind === undefined} />
      )}
      {limit < LIMIT_MAX && total.value > limit && (
        <Button onClick={() => setParameters({ limit: String(Math.min(limit + PAGE, LIMIT_MAX)) }, { replace: true })}>
          {words.actors.more}
        </Button>
      )}
    </section>
  );
}

function List({ rows, hasKind }: { rows: readonly ActorRow[]; hasKind: boolean }) {
  const { kind, key, phase, turn, age, waiting, turns, crashes } = words.actors;
  const { ofKind, ofKey } = parameters.value;
  return (
    <table class="debug-table" aria-label={words.actors.label}>
      <thead>
        <tr>
          <th scope="col">{key}</th>
          {hasKind && <th scope="col">{kind}</th>}
          <th scope="col">{phase}</th>
          <th scope="col">{turn}</th>
          {[age, waiting, turns, crashes].map((head) => (
            <th key={head} scope="col" class="number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)} data-chosen={(row.kind === ofKind && row.key === ofKey) || undefined}>
            <th scope="row">
              <button
                type="button"
                class="debug-choice mono"
                title={row.key}
                onClick={() => setParameters({ ofKind: row.kind, ofKey: row.key })}
              >
                {row.key}
              </button>
            </th>
            {hasKind && <td>{row.kind}</td>}
            <td data-bad={!WELL.has(row.phase) || undefined}>{phaseOf(row)}</td>
            <td class="mono">{row.turn ?? (row.task && say(words.actors.task, { task: row.task }))}</td>
            <td class="number">{ageOf(row)}</td>
            <td class="number">{orDash(row.mailboxDepth)}</td>
            <td class="number">{orDash(row.turns)}</td>
            <td class="number" data-bad={row.crashes > 0 || undefined}>
              {orDash(row.crashes)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Nothing({ isSearch }: { isSearch: boolean }) {
  return (
    <Empty icon="boxes" title={isSearch ? words.actors.noneFound : words.actors.none}>
      {isSearch ? words.actors.noneFoundAbout : words.actors.noneAbout}
    </Empty>
  );
}

/** Of what runs, beside turns too, or of what has waited the longest. */
function ageOf({ turnAgeSeconds, taskAgeSeconds, mailboxOldestSeconds }: ActorRow): string {
  const age = Math.max(turnAgeSeconds ?? 0, taskAgeSeconds ?? 0, mailboxOldestSeconds ?? 0);
  return orDash(age, duration(age));
}
