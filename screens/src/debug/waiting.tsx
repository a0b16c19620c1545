/** What waits in the database, by noun: since when and why, and the actor that is to do it. */
import { debug as words } from "../messages/en/debug";
import { say } from "../messages/messages";
import { parameters, setParameters } from "./address";
import { count, duration } from "./figures";
import { tellsAt, waiting } from "./live";
import { actorOf, type WaitingNoun, type WaitingQueue } from "./types";

export function Waiting() {
  const nouns = waiting.value;
  if (nouns === undefined) return null;
  const some = nouns?.filter((noun) => noun.count > 0) ?? [];
  const none = nouns?.filter((noun) => noun.count === 0) ?? [];
  return (
    <section class="debug-waiting" aria-labelledby="waiting">
      <h2 id="waiting">{words.waiting.label}</h2>
      {nouns === null && <p>{words.waiting.unreadable}</p>}
      {some.length > 0 && <Nouns nouns={some} />}
      {none.length > 0 && (
        <p class="soft debug-note">
          {some.length === 0
            ? words.waiting.nothing
            : say(words.waiting.none, { nouns: none.map(({ noun }) => words.waiting.nouns[noun].toLowerCase()).join(", ") })}
        </p>
      )}
    </section>
  );
}

function Nouns({ nouns }: { nouns: readonly WaitingNoun[] }) {
  const { noun, number, organizations, oldest, why, actor } = words.waiting;
  return (
    <table class="debug-table">
      <thead>
        <tr>
          <th scope="col">{noun}</th>
          <th scope="col" class="number">
            {number}
          </th>
          <th scope="col">{organizations}</th>
          <th scope="col" class="number">
            {oldest}
          </th>
          <th scope="col">{why}</th>
          <th scope="col">{actor}</th>
        </tr>
      </thead>
      <tbody>
        {nouns.map((one) => (
          <Noun key={one.noun} noun={one} />
        ))}
      </tbody>
    </table>
  );
}

/** A noun with its oldest queue; with all that are listed where it is chosen. */
function Noun({ noun }: { noun: WaitingNoun }) {
  const [first, ...others] = noun.queues;
  const isOpen = parameters.value.noun === noun.noun;
  const name = words.waiting.nouns[noun.noun];
  return (
    <>
      <tr>
        <th scope="row">
          {others.length > 0 ? (
            <button
              type="button"
              class="debug-choice"
              aria-expanded={isOpen}
              onClick={() => setParameters({ noun: isOpen ? undefined : noun.noun }, { replace: true })}
            >
              {name}
            </button>
          ) : (
            name
          )}
        </th>
        <td class="number">{count(isOpen && first ? first.count : noun.count)}</td>
        <td>
          {noun.organizations > 1 && !isOpen ? (
            say(words.waiting.inOrganizations, { n: noun.organizations })
          ) : (
            <span class="mono">{first?.organizationId}</span>
          )}
        </td>
        {first && <Oldest queue={first} />}
      </tr>
      {isOpen &&
        others.map((queue) => (
          <tr key={queue.actor ?? queue.organizationId}>
            <td />
            <td class="number">{count(queue.count)}</td>
            <td class="mono">{queue.organizationId}</td>
            <Oldest queue={queue} />
          </tr>
        ))}
    </>
  );
}

function Oldest({ queue: { oldestId, oldestSince, why, actor } }: { queue: WaitingQueue }) {
  const { kind: ofKind, key: ofKey } = actorOf(actor ?? "");
  return (
    <>
      <td class="number">{duration(Math.max(0, tellsAt.value - oldestSince) / 1_000)}</td>
      <td>
        {why}
        <small class="mono">{oldestId}</small>
      </td>
      <td>
        {actor === null ? (
          <span class="soft">{words.waiting.person}</span>
        ) : (
          <button type="button" class="debug-choice" title={actor} onClick={() => setParameters({ ofKind, ofKey })}>
            {ofKind}
          </button>
        )}
      </td>
    </>
  );
}
