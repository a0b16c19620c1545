/** Deleting many records, a hundred with one call, and bringing them back. */
import type { Problem } from "../../../house/problems";
import { toast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { recordsLater as words } from "../../../messages/en/records_later";
import { say } from "../../../messages/messages";

const AT_ONCE = 100;

/** Called with how many are done. */
export type Progress = (done: number) => void;

export async function deleteRecords(ids: readonly string[], progress: Progress): Promise<void> {
  const deleted = await inPieces(ids, progress, async (piece) => {
    const result = await write("record.delete_many", { ids: [...piece] });
    return result.ok ? { done: result.answer.deleted, refused: result.answer.refused } : result.problem;
  });
  if (deleted.length === 0) return;
  toast(say(words.bulk.deleted, { n: deleted.length }), { undo: () => void restoreRecords(deleted) });
}

async function restoreRecords(ids: readonly string[]): Promise<void> {
  const restored = await inPieces(
    ids,
    () => undefined,
    async (piece) => {
      const result = await write("record.restore_many", { ids: [...piece] });
      return result.ok ? { done: result.answer.restored, refused: result.answer.refused } : result.problem;
    },
  );
  if (restored.length > 0) toast(say(words.bulk.restored, { n: restored.length }));
}

interface Piece {
  done: readonly string[];
  refused: readonly { detail: string }[];
}

/** Do *act* with a hundred at a time, until one fails; resolves to those that were done, and says which were not. */
async function inPieces(
  ids: readonly string[],
  progress: Progress,
  act: (piece: readonly string[]) => Promise<Piece | Problem>,
): Promise<string[]> {
  const done: string[] = [];
  const why: string[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const piece = await act(ids.slice(at, at + AT_ONCE));
    if ("title" in piece) {
      toast(piece.detail ?? piece.title, { kind: "failed" });
      break;
    }
    done.push(...piece.done);
    why.push(...piece.refused.map(({ detail }) => detail));
    progress(Math.min(ids.length, at + AT_ONCE));
  }
  if (why.length > 0) toast(say(words.bulk.refused, { n: why.length, why: [...new Set(why)].slice(0, 3).join("; ") }), { kind: "failed" });
  return done;
}
