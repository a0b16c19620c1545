/** *Run now*: a workflow that somebody starts by hand, with the record that its steps are about, or with none. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { go, to } from "../../house/address";
import { toast } from "../../house/toasts";
import { read, write } from "../../house/tools";
import { workflows as words } from "../../messages/en/workflows";
import { Combobox, type Option } from "../../parts/combobox";
import { FormDialog } from "../../parts/form_dialog";

const FOUND_MAX = 8;
const SEARCHED_FROM = 2; // Letters.

export function RunNow({ id, onClose }: { id: string; onClose: () => void }) {
  const [record, setRecord] = useState<Option | null>(null);
  const act = useAct(async () => {
    const result = await write("workflow.run", { id, ...(record && { recordId: record.id }) });
    if (result.ok) {
      toast(words.started);
      onClose();
      void go(to(`/app/workflows/${id}/${result.answer.id}`));
    }
    return result;
  });
  return (
    <FormDialog title={words.runByHand} act={act} submit={words.runByHand} onClose={onClose}>
      <p class="soft">{words.runAbout}</p>
      <Combobox label={words.runWith} placeholder={words.tryFindRecord} value={record} onValue={setRecord} find={findRecord} />
    </FormDialog>
  );
}

async function findRecord(text: string): Promise<Option[]> {
  const found = await (text.trim().length >= SEARCHED_FROM
    ? read("record.search", { query: text, limit: FOUND_MAX })
    : read("record.list", { objectType: "contact", limit: FOUND_MAX }));
  if (!found.ok) return [];
  return found.answer.records.map(({ id, properties }) => ({ id, label: String(properties["name"] ?? id) }));
}
