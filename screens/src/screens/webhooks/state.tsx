/** How a subscription is doing, in a word and in a sentence. */
import { formatDateTime } from "../../house/formats";
import type { Answer } from "../../house/tools";
import { webhooks as words } from "../../messages/en/webhooks";
import { say } from "../../messages/messages";
import { Badge } from "../../parts/texts";
import "../../styles/webhooks.css";

export type Webhook = Answer<"webhook.get">;
type State = keyof typeof words.states;

const BADGES = { active: "good", failing: "bad", disabled: "bad", off: "warn" } as const;

export function stateOf({ active, disabledReason, failingSince }: Webhook): State {
  if (active) return failingSince === null ? "active" : "failing";
  return disabledReason === null ? "off" : "disabled";
}

export function StateBadge({ of }: { of: Webhook }) {
  const state = stateOf(of);
  return <Badge kind={BADGES[state]}>{words.states[state]}</Badge>;
}

/** A webhook without a name is called by its host: the rest of its address may be a secret. */
export function nameOf({ name, url }: Pick<Webhook, "name" | "url">): string {
  if (name !== null) return name;
  return URL.canParse(url) ? new URL(url).host : words.noName;
}

/** Why it is as it is, and what to do; nothing where all is well. */
export function Why({ of }: { of: Webhook }) {
  const { active, disabledReason, failingSince, heldUntil } = of;
  const isHeld = heldUntil !== null && Date.parse(heldUntil) > Date.now();
  const why = !active
    ? words.why[disabledReason ?? "off"]
    : isHeld
      ? say(words.why.held, { when: formatDateTime(heldUntil) })
      : failingSince && say(words.why.failingSince, { when: formatDateTime(failingSince) });
  return why ? <p class="changed webhook-why">{why}</p> : null;
}
