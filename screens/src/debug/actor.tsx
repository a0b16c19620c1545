/** One actor: where it stands, what it did, what waits for it, and its turns as they end. */
import { useEffect, useRef, useState } from "preact/hooks";
import { debug as words } from "../messages/en/debug";
import { messages, say } from "../messages/messages";
import { Button } from "../parts/button";
import { ask } from "../parts/dialog";
import { Skeleton } from "../parts/states";
import { setParameters } from "./address";
import { duration, milliseconds, orDash, phaseOf, timeOf } from "./figures";
import { useFollowed } from "./follow";
import { post } from "./posts";
import { type Inspection, pathOf, type TurnRecord } from "./types";

type Action = "passivate" | "restart" | "release";

/** What an operator may do to an actor in a phase. */
const ACTIONS: Partial<Record<string, readonly Action[]>> = {
  loading: ["restart"],
  running: ["restart"],
  waiting: ["passivate", "restart"],
  quarantined: ["release"],
};

type Answer = { inspection: Inspection } | { why: string } | null;

export function Actor({ kind, actorKey }: { kind: string; actorKey: string }) {
  const [answer, setAnswer] = useState<Answer>(null);
  const [asked, setAsked] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const followed = useFollowed(kind, actorKey);
  const close = () => setParameters({ ofKind: undefined, ofKey: undefined });
  useEffect(() => {
    const stop = new AbortController();
    void inspect(kind, actorKey, stop.signal).then((next) => stop.signal.aborted || setAnswer(next));
    return () => stop.abort();
  }, [kind, actorKey, asked]);
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus();
    return () => before instanceof HTMLElement && before.isConnected && before.focus();
  }, [kind, actorKey]);
  const again = () => setAsked((before) => before + 1);
  const actions = (answer && "inspection" in answer && ACTIONS[answer.inspection.statistics.phase]) || [];
  return (
    <aside class="debug-actor" aria-label={`${kind} ${actorKey}`} onKeyDown={({ key }) => key === "Escape" && close()}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {kind} <span class="mono soft">{actorKey}</span>
        </h2>
        <Button look="quiet" icon="x" label={messages.common.close} onClick={close} />
      </header>
      <div class="debug-actions">
        <Button small onClick={again}>
          {words.actor.refresh}
        </Button>
        <Button small pressed={followed.isOn} onClick={followed.isOn ? followed.stop : followed.start}>
          {followed.isOn ? words.actor.stop : words.actor.follow}
        </Button>
        {actions.map((action) => (
          <Button
            key={action}
            small
            onClick={() => void confirm(action, `/debug/actors/${pathOf({ kind, key: actorKey })}/${action}`).then(again)}
          >
            {words.actions[action]}
          </Button>
        ))}
      </div>
      {followed.turns && (
        <section>
          <h3>{words.actor.followed}</h3>
          {followed.isOn && <p class="soft">{followed.turns.length === 0 ? words.actor.followedNone : words.actor.followEnds}</p>}
          <Turns turns={followed.turns} />
        </section>
      )}
      {answer === null ? <Skeleton /> : "why" in answer ? <p>{answer.why}</p> : <Details inspection={answer.inspection} />}
    </aside>
  );
}

/** Ask, and do it while the question stands, which shows a refusal. */
async function confirm(action: Action, path: string): Promise<void> {
  const { [`${action}Title` as const]: title, [`${action}Body` as const]: about, noted } = words.actions;
  const body = (
    <>
      <p>{about}</p>
      <p class="soft">{noted}</p>
    </>
  );
  await ask({ title, body, confirm: words.actions[action], act: () => post(path) });
}

async function inspect(kind: string, key: string, signal: AbortSignal): Promise<Answer> {
  const answer = await fetch(`/debug/actors/${pathOf({ kind, key })}`, { signal }).catch(() => null);
  if (answer?.ok) return { inspection: (await answer.json()) as Inspection };
  return { why: answer?.status === 404 ? words.actor.gone : words.actor.failed };
}

function Details({ inspection }: { inspection: Inspection }) {
  const { statistics, stack, requestId, waitsFor, waiting, tasks, turns, crash, state, stateMissing } = inspection;
  const age = statistics.turnAgeSeconds;
  const phase = phaseOf(statistics);
  const timers = Object.entries(statistics.timers).map(([name, seconds]) => `${name} ${say(words.actor.due, { time: duration(seconds) })}`);
  const facts: [string, string][] = [
    [words.actor.phase, statistics.turn ? `${phase}: ${statistics.turn}, ${duration(age ?? 0)}` : phase],
    [words.actor.active, orDash(statistics.turns)],
    [words.actor.crashes, orDash(statistics.crashes)],
    [words.actor.guarded, orDash(statistics.guardedWaits)],
    [words.actor.timers, timers.join(", ")],
    [words.actor.waitsFor, waitsFor.join(", ")],
    [words.actor.request, requestId ?? ""],
  ];
  return (
    <>
      <dl class="debug-facts">
        {facts.map(
          ([name, value]) =>
            value !== "" &&
            value !== "–" && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {stack.length > 0 && <Stack title={words.actor.stack} lines={stack} />}
      {Object.keys(waiting).length > 0 && (
        <Lines title={words.actor.waiting} lines={Object.entries(waiting).map(([turn, n]) => `${turn}: ${n}`)} />
      )}
      {tasks.map((task, at) => (
        <Stack key={at} title={`${words.actor.tasks}: ${task.name}, ${duration(task.ageSeconds)}`} lines={task.stack} />
      ))}
      {turns.length > 0 && (
        <section>
          <h3>{words.actor.lastTurns}</h3>
          <Turns turns={turns} />
        </section>
      )}
      {crash && (
        <>
          <Stack title={`${words.actor.crash}, ${timeOf(crash.at)}: ${crash.error}`} lines={crash.stack} />
          <Turns turns={crash.turns} />
        </>
      )}
      {stateMissing === null ? (
        <Lines title={words.actor.state} lines={[JSON.stringify(state, null, 2)]} />
      ) : (
        <p class="soft">{say(words.actor.noState, { why: stateMissing })}</p>
      )}
    </>
  );
}

/** Where lines begin that are how anything waits: what is above them is what waits. */
const WAITING = ["trio/", "svc/actors/_core/", "svc/wait_guard.py"];

/** Lines of a stack, of which the innermost of the program's own says most. */
function Stack({ title, lines }: { title: string; lines: readonly string[] }) {
  const own = lines.findLastIndex((line) => !WAITING.some((begin) => line.startsWith(begin)));
  return (
    <section>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, by keys as well. */}
      <pre tabIndex={0}>
        {lines.map((line, at) => (
          <span key={at} class={at === own ? "debug-here" : "soft"}>
            {line}
            {"\n"}
          </span>
        ))}
      </pre>
    </section>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  return (
    <section>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, by keys as well. */}
      <pre tabIndex={0}>{lines.join("\n")}</pre>
    </section>
  );
}

function Turns({ turns }: { turns: readonly TurnRecord[] }) {
  if (turns.length === 0) return null;
  return (
    <table class="debug-table debug-turns">
      <thead>
        <tr>
          <th scope="col">{words.actor.turn}</th>
          <th scope="col" class="number">
            {words.actor.waited}
          </th>
          <th scope="col" class="number">
            {words.actor.ran}
          </th>
          <th scope="col">{words.actor.outcome}</th>
        </tr>
      </thead>
      <tbody>
        {turns.map((one, at) => (
          <tr key={at}>
            <td>
              <span class="mono">{one.turn}</span>
              <small title={one.requestId ?? undefined}>
                {timeOf(one.at)}
                {one.requestId && ` · ${one.requestId.slice(0, 8)}`}
              </small>
            </td>
            <td class="number">{milliseconds(one.waitMs)}</td>
            <td class="number">{milliseconds(one.runMs)}</td>
            <td data-bad={one.outcome !== "ok" || undefined}>{one.outcome}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
