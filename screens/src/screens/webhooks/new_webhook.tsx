/** A new webhook: its address and its events; then its secret, which is shown once, and its page. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { dropOnReload, go, to } from "../../house/address";
import { type Answer, writeOnce } from "../../house/tools";
import { webhooks as words } from "../../messages/en/webhooks";
import { TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { Once } from "../../parts/once";
import { Events, type EventType } from "./events";
import { ObjectTypes } from "./object_types";
import { VerifyLink } from "./secret";

export function NewWebhook({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState("");
  const [name, setName] = useState("");
  const [events, setEvents] = useState<EventType[]>([]);
  const [objectTypes, setObjectTypes] = useState<string[]>([]);
  const [made, setMade] = useState<Answer<"webhook.create"> | null>(null);
  const isOfRecords = events.some((type) => type.startsWith("record."));
  const act = useAct(async () => {
    const result = await writeOnce("webhook.create", {
      url: url.trim(),
      events,
      objectTypes: isOfRecords ? objectTypes : [],
      name: name.trim() || null,
    });
    if (result.ok) {
      setMade(result.answer);
      dropOnReload("new");
    }
    return result;
  });
  if (made)
    return (
      <Once
        label={words.secret.label}
        secret={made.secret}
        onDone={() => {
          onClose();
          void go(to(`/app/settings/webhooks/${made.id}`));
        }}
      >
        <p class="field-hint">{words.secret.hint}</p>
        <VerifyLink />
      </Once>
    );
  return (
    <FormDialog title={words.create} act={act} submit={words.make} onClose={onClose} dirty={url !== "" || events.length > 0}>
      <TextField
        label={words.url}
        hint={words.urlHint}
        pointer="/url"
        type="url"
        value={url}
        onValue={setUrl}
        placeholder="https://"
        mono
        autoFocus
      />
      <TextField label={words.name} hint={words.nameHint} pointer="/name" value={name} onValue={setName} max={200} optional />
      <Events chosen={events} onChosen={setEvents} />
      {isOfRecords && <ObjectTypes chosen={objectTypes} onChosen={setObjectTypes} />}
    </FormDialog>
  );
}
