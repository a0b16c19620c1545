/** How a connection is, in sentences: what people set, what its bridge said, and what can be done. */
import { formatRelative } from "../../house/formats";
import { messengers } from "../../messages/en/messengers";
import { say } from "../../messages/messages";
import { Foreign } from "../../parts/texts";
import type { ConnectionDetails } from "./connection";
import "../../styles/webhooks.css";

const words = messengers.health;

export function Health({ of: { status, pauseReason, health } }: { of: ConnectionDetails }) {
  const { state, reason, detail, reportedAt } = health;
  const said = state === "unknown" ? words.unknown : say(words[state], { when: formatRelative(reportedAt ?? "") });
  const isOffline = state === "offline";
  return (
    <div class="stack connection-health">
      {status === "paused" && <p>{pauseReason === "gone" ? words.gone : words.paused}</p>}
      <p class={isOffline ? undefined : "soft"}>
        {said} {isOffline && reason && words.reasons[reason]} {isOffline && status === "active" && words.offlineWaits}
      </p>
      {isOffline && detail && (
        <blockquote class="preview soft">
          <Foreign>{detail}</Foreign>
        </blockquote>
      )}
    </div>
  );
}
