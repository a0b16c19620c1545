/** The dialogs in which a view is saved and renamed. */
import { useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { address, go, to } from "../../../house/address";
import { write } from "../../../house/tools";
import { records } from "../../../messages/en/records";
import { recordsLater as words } from "../../../messages/en/records_later";
import { messages } from "../../../messages/messages";
import { SwitchField, TextField } from "../../../parts/field";
import { FormDialog } from "../../../parts/form_dialog";
import type { View } from "../which";

const said = words.views;

interface NewViewProps {
  input: Record<string, unknown>;
  /** Of a board, the property that its columns are made of. */
  boardBy: string | null;
  onClose: () => void;
}

export function NewView({ input, boardBy, onClose }: NewViewProps) {
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const act = useAct(async () => {
    const result = await write("view.create", { name: name.trim(), tool: "record.list", input, boardBy, shared });
    if (result.ok) {
      onClose();
      void go(to(address.peek().path, { saved: result.answer.id }), { saved: true });
    }
    return result;
  });
  return (
    <FormDialog title={said.saveTitle} act={act} submit={said.saveView} onClose={onClose}>
      <TextField label={said.name} pointer="/name" value={name} onValue={setName} max={200} placeholder={said.namePlaceholder} autoFocus />
      <SwitchField label={said.shareLabel} hint={said.shareHint} on={shared} onValue={setShared} />
    </FormDialog>
  );
}

export function RenameView({ view, onClose }: { view: View; onClose: () => void }) {
  const [name, setName] = useState(view.name);
  const act = useAct(async () => {
    const result = await write("view.update", { id: view.id, name: name.trim(), ifVersion: view.version });
    if (result.ok) onClose();
    return result;
  });
  return (
    <FormDialog title={records.views.rename} act={act} submit={messages.common.save} onClose={onClose} dirty={name !== view.name}>
      <TextField label={said.name} pointer="/name" value={name} onValue={setName} max={200} autoFocus />
    </FormDialog>
  );
}
