/** The dialog in which a key is made, and after it the one that shows it. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { dropOnReload } from "../../house/address";
import type { Result } from "../../house/problems";
import { keys as words } from "../../messages/en/keys";
import { TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { ShownOnce } from "./shown_once";

interface NewKeyProps {
  title: string;
  nameLabel?: string;
  nameHint?: string;
  /** Other fields, and what is fixed. */
  children: ComponentChildren;
  /** Make the key under this name. */
  mint: (name: string) => Promise<Result<{ key: string }>>;
  exampleOf?: (key: string) => string;
  onClose: () => void;
}

export function NewKey({ title, nameLabel = words.name, nameHint, children, mint, exampleOf, onClose }: NewKeyProps) {
  const [name, setName] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const act = useAct(async () => {
    const result = await mint(name);
    if (result.ok) {
      setSecret(result.answer.key);
      dropOnReload("new");
    }
    return result;
  });
  if (secret !== null)
    return <ShownOnce name={words.key} secret={secret} onDone={onClose} {...(exampleOf && { example: exampleOf(secret) })} />;
  return (
    <FormDialog title={title} act={act} submit={words.api.issue} onClose={onClose} dirty={name !== ""}>
      <TextField label={nameLabel} hint={nameHint} pointer="/name" value={name} onValue={setName} max={200} autoFocus />
      {children}
    </FormDialog>
  );
}
