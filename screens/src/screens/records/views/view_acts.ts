/** What is done with a saved view: stored as it is shown, shared, deleted. */
import { setParameters } from "../../../house/address";
import type { Problem } from "../../../house/problems";
import { toast } from "../../../house/toasts";
import { type Input, write } from "../../../house/tools";
import { records as words } from "../../../messages/en/records";
import { say } from "../../../messages/messages";
import { AS_SAVED, type View } from "../which";

const said = words.views;

export async function update(view: View, change: Omit<Input<"view.update">, "id">): Promise<void> {
  const result = await write("view.update", { id: view.id, ...change, ifVersion: view.version });
  if (!result.ok) failed(result.problem);
}

/** Have *view* show what is shown now. */
export async function store(view: View, input: Record<string, unknown>, boardBy: string | null): Promise<void> {
  const result = await write("view.update", { id: view.id, input, boardBy, ifVersion: view.version });
  if (!result.ok) return failed(result.problem);
  const now = result.answer;
  setParameters(AS_SAVED);
  toast(say(said.saved, { name: view.name }), { undo: () => void update(now, { input: view.input, boardBy: view.boardBy }) });
}

function failed({ title, detail }: Problem): void {
  toast(detail ?? title, { kind: "failed" });
}

export async function remove(view: View): Promise<void> {
  const result = await write("view.delete", { id: view.id });
  if (!result.ok) return failed(result.problem);
  setParameters({ saved: null, ...AS_SAVED });
  toast(say(said.removed, { name: view.name }), {
    undo: async () => {
      const { name, tool, input, boardBy, shared } = view;
      const again = await write("view.create", { name, tool, input, boardBy, shared });
      if (again.ok) setParameters({ saved: again.answer.id });
      else failed(again.problem);
    },
  });
}
