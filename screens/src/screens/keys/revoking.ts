/** Revoking a key: asked by name, since it cannot be undone. */
import { formatRelative } from "../../house/formats";
import type { Result } from "../../house/problems";
import { toast } from "../../house/toasts";
import { keys as words } from "../../messages/en/keys";
import { say } from "../../messages/messages";
import { ask } from "../../parts/dialog";

interface Revocable {
  name: string;
  visibleStart: string;
  lastUsedAt?: string | null;
}

/** Whether it was revoked. */
export async function revoke(key: Revocable, act: () => Promise<Result<unknown>>): Promise<boolean> {
  const { name, visibleStart: start, lastUsedAt } = key;
  const used =
    lastUsedAt === undefined ? "" : lastUsedAt ? say(words.revokeUsed, { when: formatRelative(lastUsedAt) }) : words.revokeUnused;
  const body = [say(words.revokeBody, { start }), used].filter(Boolean).join(" ");
  const title = say(words.revokeTitle, { name });
  const isRevoked = await ask({ title, body, confirm: words.revoke, danger: true, act });
  if (isRevoked) toast(say(words.revoked, { name }));
  return isRevoked;
}

const SOON_DAYS = 14;

export function stateOf(expiresAt: string): "expired" | "soon" | "live" {
  const left = new Date(expiresAt).getTime() - Date.now();
  if (left <= 0) return "expired";
  return left < SOON_DAYS * 86_400_000 ? "soon" : "live";
}
