/** *Send test*: a ping to the bridge, and what came of it: status, time, and how its answer begins. */
import { useAct } from "../../house/acts";
import { write } from "../../house/tools";
import { messengers } from "../../messages/en/messengers";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ErrorBox } from "../../parts/states";
import { Badge, Foreign, RelativeTime } from "../../parts/texts";
import type { ConnectionDetails } from "./connection";
import "../../styles/webhooks.css";

const words = messengers.test;
const isGood = (status: number) => status >= 200 && status < 300;

export function Test({ connection: { id, delivery, lastTest } }: { connection: ConnectionDetails }) {
  const act = useAct(() => write("connection.test", { id }));
  const isUnderWay = lastTest !== null && lastTest.doneAt === null;
  return (
    <section class="stack">
      <div>
        <h3>{words.title}</h3>
        <p class="field-hint">{delivery === "push" ? words.hint : words.pulls}</p>
      </div>
      <ErrorBox problem={act.problem} />
      {delivery === "push" && (
        <div>
          <Button small icon="send" busy={act.busy || isUnderWay} onClick={() => void act.run()}>
            {words.send}
          </Button>
        </div>
      )}
      {lastTest && (isUnderWay ? <p role="status">{words.underWay}</p> : <Outcome of={lastTest} />)}
    </section>
  );
}

function Outcome({ of }: { of: NonNullable<ConnectionDetails["lastTest"]> }) {
  const { statusCode: status, milliseconds, error, answer, doneAt } = of;
  const ms = milliseconds ?? 0;
  return (
    <div class="stack" role="status">
      <div class="row">
        <Badge kind={status !== null && isGood(status) ? "good" : "bad"}>
          {status === null ? say(words.unanswered, { ms }) : say(words.status, { status: String(status), ms })}
        </Badge>
        <span class="soft">
          <RelativeTime at={doneAt} />
        </span>
      </div>
      <p class="soft">{status === null ? say(words.unreached, { why: error ?? "" }) : isGood(status) ? words.ok : words.refused}</p>
      {answer && (
        <figure class="answer">
          <figcaption class="field-hint">{words.body}</figcaption>
          <blockquote class="preview">
            <Foreign>{answer}</Foreign>
          </blockquote>
        </figure>
      )}
    </div>
  );
}
