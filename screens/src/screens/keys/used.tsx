/** How many keys the organization has of those that it may have. */
import { keys as words } from "../../messages/en/keys";
import { say } from "../../messages/messages";
import { stateOf } from "./revoking";

/** Live API and gateway keys of an organization (interface 2.1). */
export const LIVE_KEYS_MAX = 20;

export function liveCount(keys: readonly { expiresAt: string }[] | undefined): number {
  return keys?.filter((key) => stateOf(key.expiresAt) !== "expired").length ?? 0;
}

export function Used({ keys }: { keys: readonly { expiresAt: string }[] | undefined }) {
  if (!keys) return null;
  const n = liveCount(keys);
  return (
    <p class="used" title={words.usedHint} data-full={n >= LIVE_KEYS_MAX}>
      <meter min={0} max={LIVE_KEYS_MAX} high={LIVE_KEYS_MAX - 2} value={n} aria-hidden="true" />
      {say(words.used, { n, most: LIVE_KEYS_MAX })}
    </p>
  );
}
