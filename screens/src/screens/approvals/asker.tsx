/** Who asks, in which conversation or run, and what was said before. */
import { screens, to } from "../../house/address";
import { may } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { approvals as words } from "../../messages/en/approvals";
import { say } from "../../messages/messages";
import { Icon } from "../../parts/icon";
import { Foreign, RelativeTime } from "../../parts/texts";
import { ThingName } from "../../parts/thing_name";
import type { Card } from "./title";
import "../../styles/readable.css";
import "../../styles/agents.css";

const said = words.card;
/** Messages that are shown of those before a card was made. */
const SHOWN = 4;
const READ = 30;

type Message = Answer<"message.list">["messages"][number];

/** In a line of the list. */
export function AskerName({ of: { askedBy } }: { of: Card }) {
  const isAgent = askedBy.kind === "agent";
  return (
    <span class="one-line">
      <Icon name={isAgent ? "bot" : "workflow"} size={14} /> <ThingName bare id={isAgent ? askedBy.connectionId : askedBy.workflowId} />
    </span>
  );
}

export function Asker({ of: { askedBy, createdAt } }: { of: Card }) {
  return (
    <section class="stack">
      <h3>{said.by}</h3>
      {askedBy.kind === "agent" ? (
        <>
          <p>
            {words.agentOf} <ThingName id={askedBy.connectionId} />. {said.inConversation} <ThingName id={askedBy.conversationId} />.
          </p>
          <Led conversation={askedBy.conversationId} before={createdAt} />
          <RunLink href={to("/app/settings/agents", { run: askedBy.runId })} path="/app/settings/agents" label={said.run} />
        </>
      ) : (
        <>
          <p>
            {words.workflowOf} <ThingName id={askedBy.workflowId} />.
          </p>
          <RunLink
            href={to(`/app/workflows/${askedBy.workflowId}/${askedBy.runId}`)}
            path={`/app/workflows/${askedBy.workflowId}/${askedBy.runId}`}
            label={said.workflowRun}
          />
        </>
      )}
    </section>
  );
}

function RunLink({ href, path, label }: { href: string; path: string; label: string }) {
  if (!screens.has(path)) return null;
  return (
    <p class="links">
      <a href={href}>
        <Icon name="route" /> {label}
      </a>
    </p>
  );
}

/** The last messages before the card was made, the oldest first. */
function Led({ conversation, before }: { conversation: string; before: string }) {
  return may("conversations") ? <Messages conversation={conversation} before={before} /> : <p class="soft">{said.noMessages}</p>;
}

function Messages({ conversation, before }: { conversation: string; before: string }) {
  const { answer, problem } = useAnswer("message.list", { conversationId: conversation, limit: READ });
  if (problem && !answer) return <p class="soft">{said.noMessages}</p>;
  const led = answer?.messages.filter((message) => message.createdAt <= before).slice(0, SHOWN);
  if (!led?.length) return answer ? <p class="soft">{said.noMessages}</p> : null;
  return (
    <ol class="talk" aria-label={said.led}>
      {led.toReversed().map((message) => (
        <Line key={message.id} of={message} />
      ))}
    </ol>
  );
}

function Line({ of: { direction, text, attachments, sender, author, createdAt } }: { of: Message }) {
  const who = direction === "in" ? (sender?.name ?? said.them) : (author?.name ?? said.us);
  return (
    <li class={direction === "in" ? "talk-in" : "talk-out"}>
      <span class="talk-who soft">
        <Foreign>{who}</Foreign> · <RelativeTime at={createdAt} />
      </span>
      <span class="talk-text">
        {text && <Foreign>{text}</Foreign>}
        {attachments.length > 0 && <span class="soft"> {say(said.attachments, { n: attachments.length })}</span>}
      </span>
    </li>
  );
}
