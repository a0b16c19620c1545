/** One delivery: what was sent, each attempt with what was answered, and sending it again. */
import { useAct } from "../../house/acts";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { webhooks } from "../../messages/en/webhooks";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Failure } from "../../parts/failure";
import { Panel } from "../../parts/panel";
import { Empty, ErrorBox, Skeleton } from "../../parts/states";
import { Badge, Copy, Foreign, RelativeTime } from "../../parts/texts";
import { type Delivery, DeliveryState, isTaken } from "./deliveries";
import type { Webhook } from "./state";
import "../../styles/webhooks.css";

const words = webhooks.delivery;

interface PanelProps {
  webhook: Webhook;
  id: string;
  onClose: () => void;
  /** A test is on its way, as another delivery. */
  onTested: (delivery: string) => void;
}

export function DeliveryPanel({ webhook, id, onClose, onTested }: PanelProps) {
  const { answer, problem, query } = useAnswer("webhook.delivery_list", { webhookId: webhook.id, id });
  const delivery = answer?.deliveries[0];
  return (
    <Panel
      title={delivery ? <code>{delivery.event}</code> : ""}
      of={id}
      onClose={onClose}
      actions={
        delivery &&
        webhook.active && (
          <>
            {delivery.state !== "cancelled" && <Again id={id} />}
            {delivery.eventId && webhook.events.some((type) => type === delivery.event) && (
              <AsTest webhook={webhook} eventId={delivery.eventId} onTested={onTested} />
            )}
          </>
        )
      }
    >
      {delivery ? (
        <Shown delivery={delivery} />
      ) : answer ? (
        <Empty icon="webhook" title={words.gone} />
      ) : problem ? (
        <Failure problem={problem} again={() => void query.again()} />
      ) : (
        <Skeleton lines={6} height={32} />
      )}
    </Panel>
  );
}

function Again({ id }: { id: string }) {
  const act = useAct(async () => {
    const result = await write("webhook.redeliver", { deliveryId: id });
    if (result.ok) toast(words.queued);
    return result;
  });
  return (
    <>
      <Button small icon="redo-2" busy={act.busy} onClick={() => void act.run()}>
        {words.again}
      </Button>
      <ErrorBox problem={act.problem} />
    </>
  );
}

/** What the event said once more, with an id of its own: a receiver takes one that it has had for nothing new. */
function AsTest({ webhook: { id }, eventId, onTested }: { webhook: Webhook; eventId: string; onTested: PanelProps["onTested"] }) {
  const act = useAct(async () => {
    const result = await write("webhook.test", { id, eventId });
    if (result.ok) {
      toast(webhooks.test.sent);
      onTested(result.answer.deliveryId);
    }
    return result;
  });
  return (
    <>
      <Button small icon="send" busy={act.busy} onClick={() => void act.run()}>
        {words.asTest}
      </Button>
      <ErrorBox problem={act.problem} />
    </>
  );
}

function Shown({ delivery }: { delivery: Delivery }) {
  const { id, subject, eventId, nextAttemptAt, doneAt, attempts, history, request } = delivery;
  return (
    <div class="stack-wide">
      <dl class="facts">
        <dt>{webhooks.deliveries.state}</dt>
        <dd>
          <DeliveryState of={delivery} />
        </dd>
        {nextAttemptAt && (
          <>
            <dt>{words.nextAt}</dt>
            <dd>
              <RelativeTime at={nextAttemptAt} />
            </dd>
          </>
        )}
        {doneAt && (
          <>
            <dt>{words.doneAt}</dt>
            <dd>
              <RelativeTime at={doneAt} />
            </dd>
          </>
        )}
        <dt>{words.id}</dt>
        <dd>
          <code class="break">{id}</code>
        </dd>
        {eventId && (
          <>
            <dt>{words.event}</dt>
            <dd>
              <code class="break">{eventId}</code>
            </dd>
            <dt>{words.subject}</dt>
            <dd>
              <code class="break">{subject}</code>
            </dd>
          </>
        )}
      </dl>
      <section>
        <h3>{say(words.attempts, { n: attempts })}</h3>
        {history.length === 0 ? (
          <p class="soft">{webhooks.deliveries.notTried}</p>
        ) : (
          <ol class="attempts" reversed>
            {history.toReversed().map((attempt) => (
              <Attempt key={attempt.at} of={attempt} />
            ))}
          </ol>
        )}
      </section>
      <section class="stack">
        <h3>{words.request}</h3>
        {request ? (
          <>
            <Copy text={pretty(request.body)} label={words.body} block />
            <details>
              <summary>{words.headers}</summary>
              <dl class="facts headers">
                {request.headers.map(({ name, value }) => (
                  <>
                    <dt>
                      <code>{name}</code>
                    </dt>
                    <dd>
                      <code class="break">{value}</code>
                    </dd>
                  </>
                ))}
              </dl>
              <p class="field-hint">{words.signed}</p>
            </details>
          </>
        ) : (
          <p class="soft">{words.noRequest}</p>
        )}
      </section>
    </div>
  );
}

function Attempt({ of }: { of: Delivery["history"][number] }) {
  const { at, statusCode, milliseconds: ms, error, answer } = of;
  return (
    <li>
      <div class="row">
        <Badge kind={isTaken(of) ? "good" : "bad"}>
          {statusCode === null ? say(words.noAnswer, { ms }) : say(words.attempt, { status: String(statusCode), ms })}
        </Badge>
        <span class="soft">
          <RelativeTime at={at} />
        </span>
      </div>
      {error && <p class="soft">{error}</p>}
      {answer && (
        <blockquote class="preview">
          <Foreign>{answer}</Foreign>
        </blockquote>
      )}
    </li>
  );
}

/** As a person reads it: the bytes that are signed have no space between. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
