/** How many live keys there are of those that may be. */
import { keys as words } from "../../messages/en/keys";
import { say } from "../../messages/messages";

export interface Counted {
  live: number;
  liveMax: number;
}

export const isFull = (counted: Counted | undefined): boolean => counted !== undefined && counted.live >= counted.liveMax;

export function Used({ of: counted, hint }: { of: Counted | undefined; hint?: string }) {
  if (!counted) return null;
  const { live, liveMax } = counted;
  return (
    <>
      <p class="used" title={hint}>
        <meter min={0} max={liveMax} high={liveMax - 2} value={live} aria-hidden="true" />
        {say(words.used, { n: live, most: liveMax })}
      </p>
      {isFull(counted) && <p class="note note-full">{words.full}</p>}
    </>
  );
}
