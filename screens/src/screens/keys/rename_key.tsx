import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { keys as words } from "../../messages/en/keys";
import { keyPage as said } from "../../messages/en/requests";
import { messages, say } from "../../messages/messages";
import { TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";

/** Another name for a key. */
export function RenameKey({ of: { id, name: before }, onClose }: { of: { id: string; name: string }; onClose: () => void }) {
  const [name, setName] = useState(before);
  const act = useAct(async () => {
    const result = await write("apikey.update", { id, name });
    if (result.ok) {
      toast(say(said.renamed, { name: result.answer.name }));
      onClose();
    }
    return result;
  });
  return (
    <FormDialog title={said.renameTitle} act={act} submit={messages.common.save} onClose={onClose} dirty={name !== before}>
      <TextField label={words.name} hint={words.api.nameHint} pointer="/name" value={name} onValue={setName} max={200} autoFocus />
    </FormDialog>
  );
}
