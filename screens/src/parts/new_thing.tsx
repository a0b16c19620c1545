import { useState } from "preact/hooks";
import { useAct } from "../house/acts";
import type { Result } from "../house/problems";
import { useAnswer } from "../house/queries";
import { type Choice, SelectField, TextField } from "./field";
import { FormDialog } from "./form_dialog";

/** The choices of a site: the tracked ones, and *none*. */
export function useSites(none: string): Choice<string>[] {
  const sites = useAnswer("site.list", {}).answer?.sites ?? [];
  return [{ value: "", label: none }, ...sites.map((site) => ({ value: site.id, label: site.domain }))];
}

interface NewThingProps {
  words: { create: string; make: string; name: string; nameHint: string; site: string; siteHint: string };
  /** What a site is called that is none. */
  noSite: string;
  make: (name: string, siteId: string | null) => Promise<Result<{ id: string }>>;
  onMade: (id: string) => void;
  onClose: () => void;
}

/** The dialog in which a form or an embed is made: its name, and its site. */
export function NewThing({ words, noSite, make, onMade, onClose }: NewThingProps) {
  const [name, setName] = useState("");
  const [siteId, setSiteId] = useState("");
  const sites = useSites(noSite);
  const act = useAct(async () => {
    const result = await make(name, siteId || null);
    if (result.ok) onMade(result.answer.id);
    return result;
  });
  return (
    <FormDialog title={words.create} act={act} submit={words.make} onClose={onClose}>
      <TextField label={words.name} hint={words.nameHint} pointer="/name" value={name} onValue={setName} max={200} autoFocus />
      <SelectField label={words.site} hint={words.siteHint} pointer="/siteId" value={siteId} onValue={setSiteId} choices={sites} />
    </FormDialog>
  );
}
