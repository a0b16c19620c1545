/** Another value for a key of one's own; the one of now ends after a while. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { writeOnce } from "../../house/tools";
import { rolling as words } from "../../messages/en/apps";
import { keys } from "../../messages/en/keys";
import { say } from "../../messages/messages";
import { RadioField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { ShownOnce } from "./shown_once";

type Hours = "0" | "1" | "24" | "72";

export function RollKey({ of: key, onClose }: { of: { id: string; name: string }; onClose: () => void }) {
  const [hours, setHours] = useState<Hours>("24");
  const [secret, setSecret] = useState<string | null>(null);
  const act = useAct(async () => {
    const result = await writeOnce("apikey.roll", { id: key.id, overlapHours: Number(hours) });
    if (result.ok) setSecret(result.answer.key);
    return result;
  });
  if (secret !== null) return <ShownOnce name={keys.key} secret={secret} onDone={onClose} />;
  return (
    <FormDialog title={say(words.title, { name: key.name })} act={act} submit={words.go} onClose={onClose}>
      <p class="prose">{words.body}</p>
      <RadioField
        label={words.overlap}
        pointer="/overlapHours"
        value={hours}
        onValue={setHours}
        choices={[
          { value: "0", label: words.none },
          { value: "1", label: words.hour },
          { value: "24", label: words.day },
          { value: "72", label: words.days },
        ]}
      />
    </FormDialog>
  );
}
