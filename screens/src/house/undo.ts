/** What was done at once, with its way back. */
import type { Result } from "./problems";
import { toast } from "./toasts";

/** Say *text*, with *back* to take it back; where that is refused, say why. */
export function toastWithUndo(text: string, back: () => Promise<Result<unknown>>): void {
  const undo = async () => {
    const result = await back();
    if (!result.ok) toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
  };
  toast(text, { undo: () => void undo() });
}
