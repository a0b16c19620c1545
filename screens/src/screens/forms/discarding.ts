/** Throwing submissions away, and taking that back; a toast says what became of them. */
import type { Problem, Result } from "../../house/problems";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { submissions as words } from "../../messages/en/submissions";
import { say } from "../../messages/messages";

/** As many as one call takes. */
const AT_ONCE = 100;
const said = words.bulk;

interface Part {
  done: readonly string[];
  refused: readonly { code: string }[];
}

interface Moved extends Part {
  /** Why the others were not done. */
  problem: Problem | null;
}

/** Discard them; `Undo` restores those that were. */
export async function discard(ids: readonly string[]): Promise<Moved> {
  const moved = await inParts(ids, async (part) => {
    const result = await write("submission.discard", { ids: part });
    return result.ok ? { ok: true, answer: { done: result.answer.discarded, refused: result.answer.refused } } : result;
  });
  tell(moved, said.discarded, () => void restore(moved.done));
  return moved;
}

/** Bring discarded ones back to where they were. */
export async function restore(ids: readonly string[]): Promise<Moved> {
  const moved = await inParts(ids, async (part) => {
    const result = await write("submission.restore", { ids: part });
    return result.ok ? { ok: true, answer: { done: result.answer.restored, refused: result.answer.refused } } : result;
  });
  tell(moved, said.restored, null);
  return moved;
}

async function inParts(ids: readonly string[], move: (part: string[]) => Promise<Result<Part>>): Promise<Moved> {
  let all: Moved = { done: [], refused: [], problem: null };
  for (let at = 0; at < ids.length && !all.problem; at += AT_ONCE) {
    const part = await move(ids.slice(at, at + AT_ONCE));
    all = part.ok
      ? { ...all, done: [...all.done, ...part.answer.done], refused: [...all.refused, ...part.answer.refused] }
      : { ...all, problem: part.problem };
  }
  return all;
}

function tell({ done, refused, problem }: Moved, text: typeof said.discarded | typeof said.restored, undo: (() => void) | null): void {
  const filed = refused.filter(({ code }) => code === "conflict").length;
  const gone = refused.length - filed;
  const parts = [
    done.length > 0 && say(text, { n: done.length }),
    filed > 0 && say(said.kept, { n: filed }),
    gone > 0 && say(said.gone, { n: gone }),
    problem && (problem.detail ?? problem.title),
  ].filter(Boolean);
  const failed = problem !== null || refused.length > 0;
  toast(parts.join(", "), { kind: failed ? "failed" : "done", undo: done.length > 0 ? undo : null });
}
