/** Finds the other record that a record is merged with; then both are compared. */
import { useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { go, to } from "../../../house/address";
import { duplicates as words } from "../../../messages/en/duplicates";
import { say } from "../../../messages/messages";
import { Combobox, type Option } from "../../../parts/combobox";
import { FormDialog } from "../../../parts/form_dialog";
import { findRecords } from "../values/finding";
import type { RecordDetails } from "./shapes";

interface MergeDialogProps {
  record: RecordDetails;
  name: string;
  onClose: () => void;
}

export function MergeDialog({ record: { id, objectType }, name, onClose }: MergeDialogProps) {
  const [other, setOther] = useState<Option | null>(null);
  const act = useAct(async () => {
    if (other) void go(to(`/app/records/${objectType}/duplicates`, { id, with: other.id }), { saved: true });
    return { ok: true as const, answer: null };
  });
  const find = async (text: string) => (await findRecords(objectType, text)).filter((option) => option.id !== id);
  return (
    <FormDialog title={say(words.mergeWith, { name })} act={act} submit={words.compare} onClose={onClose} dirty={false} disabled={!other}>
      <Combobox label={words.other} hint={words.otherHint} value={other} onValue={setOther} find={find} />
    </FormDialog>
  );
}
