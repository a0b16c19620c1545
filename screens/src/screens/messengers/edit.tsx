import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { messengers as words } from "../../messages/en/messengers";
import { messages } from "../../messages/messages";
import { TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import type { ConnectionDetails } from "./connection";

/** Renames a connection, or has its replies pushed elsewhere. */
export function EditConnection({ connection, onClose }: { connection: ConnectionDetails; onClose: () => void }) {
  const [name, setName] = useState(connection.name);
  const [url, setUrl] = useState(connection.url ?? "");
  const hasUrl = connection.url !== null;
  const act = useAct(async () => {
    const result = await write("connection.update", {
      id: connection.id,
      ...(name !== connection.name && { name }),
      ...(hasUrl && url.trim() !== connection.url && { url: url.trim() }),
    });
    if (result.ok) {
      onClose();
      toast(words.saved);
    }
    return result;
  });
  return (
    <FormDialog title={words.edit} act={act} submit={messages.common.save} onClose={onClose}>
      <TextField label={words.name} hint={words.nameHint} pointer="/name" value={name} onValue={setName} max={200} autoFocus />
      {hasUrl && <TextField label={words.url} pointer="/url" type="url" value={url} onValue={setUrl} mono />}
    </FormDialog>
  );
}
