import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { useAnswer } from "../../house/queries";
import { write } from "../../house/tools";
import { embeds as words } from "../../messages/en/embeds";
import { messages } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { type Choice, SelectField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";

/** The choices of a site: any, and the tracked ones. */
export function useSites(): Choice<string>[] {
  const sites = useAnswer("site.list", {}).answer?.sites ?? [];
  return [{ value: "", label: words.anySite }, ...sites.map((site) => ({ value: site.id, label: site.domain }))];
}

export function NewEmbed({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) {
  const [name, setName] = useState("");
  const [siteId, setSiteId] = useState("");
  const sites = useSites();
  const act = useAct(async () => {
    const result = await write("embed.create", { name, siteId: siteId || null });
    if (result.ok) onMade(result.answer.id);
    return result;
  });
  return (
    <Dialog title={words.create} onClose={onClose}>
      <Form act={act}>
        <TextField label={words.name} hint={words.nameHint} pointer="/name" value={name} onValue={setName} max={200} autoFocus />
        <SelectField label={words.site} hint={words.siteHint} pointer="/siteId" value={siteId} onValue={setSiteId} choices={sites} />
        <footer>
          <Button onClick={onClose}>{messages.common.cancel}</Button>
          <Button type="submit" look="solid" busy={act.busy}>
            {words.create}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
