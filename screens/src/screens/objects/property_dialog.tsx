/** A new property, or a change of one: its name, its choices, and whether it is personal. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { formatList } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { slugOf } from "../../house/slugs";
import { toast } from "../../house/toasts";
import { type Answer, type Input, write } from "../../house/tools";
import { objects as words } from "../../messages/en/objects";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { SelectField, SwitchField, TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";

export type ObjectDetails = Answer<"object.get">;
export type Property = ObjectDetails["properties"][number];
type Type = Property["type"];

const TYPES = Object.keys(words.types) as Type[]; // The keys of a constant.
const UNIQUE: Type[] = ["text", "number", "email", "phone", "url"];
const hasChoices = (type: Type) => type === "select" || type === "multi_select";

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

export function NewProperty({ object, onClose }: { object: ObjectDetails; onClose: () => void }) {
  const [label, setLabel] = useState("");
  const [slug, setSlug] = useState<string | null>(null);
  const [type, setType] = useState<Type>("text");
  const [choices, setChoices] = useState("");
  const [target, setTarget] = useState("company");
  const [personal, setPersonal] = useState(false);
  const [unique, setUnique] = useState(false);
  const objects = useAnswer("object.list", {}).answer?.objects ?? [];
  const isAlwaysPersonal = type === "email" || type === "phone";
  const act = useAct(async () => {
    const result = await write("property.create", {
      objectType: object.slug,
      slug: slug ?? slugOf(label),
      label,
      type,
      options: hasChoices(type) ? linesOf(choices) : type === "relation" ? [target] : [],
      personal: personal || isAlwaysPersonal,
      unique: unique && UNIQUE.includes(type),
    });
    if (result.ok) {
      toast(say(words.added, { property: label }));
      onClose();
    }
    return result;
  });
  return (
    <FormDialog title={words.newProperty} act={act} submit={words.makeProperty} onClose={onClose} dirty={label !== ""}>
      <TextField label={words.name} pointer="/label" value={label} onValue={setLabel} max={100} autoFocus />
      <TextField label={words.slug} hint={words.slugHint} pointer="/slug" value={slug ?? slugOf(label)} onValue={setSlug} mono />
      <SelectField
        label={words.type}
        pointer="/type"
        value={type}
        onValue={setType}
        choices={TYPES.map((value) => ({ value, label: words.types[value] }))}
      />
      {hasChoices(type) && (
        <TextField label={words.options} hint={words.optionsHint} pointer="/options" value={choices} onValue={setChoices} lines={4} />
      )}
      {type === "relation" && (
        <SelectField
          label={words.leadsTo}
          pointer="/options"
          value={target}
          onValue={setTarget}
          choices={objects.map((one) => ({ value: one.slug, label: one.labelPlural }))}
        />
      )}
      <SwitchField
        label={words.personal}
        hint={isAlwaysPersonal ? words.alwaysPersonal : words.personalHint}
        pointer="/personal"
        on={personal || isAlwaysPersonal}
        disabled={isAlwaysPersonal}
        onValue={setPersonal}
      />
      {UNIQUE.includes(type) && (
        <SwitchField label={words.unique} hint={words.uniqueHint} pointer="/unique" on={unique} onValue={setUnique} />
      )}
    </FormDialog>
  );
}

export function EditProperty({ object, property, onClose }: { object: ObjectDetails; property: Property; onClose: () => void }) {
  const [base, setBase] = useState(property);
  const [label, setLabel] = useState(property.label);
  const [choices, setChoices] = useState(property.options.join("\n"));
  const [personal, setPersonal] = useState(property.personal);
  const isBehind = property.version > base.version;
  const options = linesOf(choices);
  const change: Omit<Input<"property.update">, "objectType" | "slug"> = {
    ...(label !== base.label && { label }),
    ...(hasChoices(base.type) && options.join("\n") !== base.options.join("\n") && { options }),
    ...(personal !== base.personal && { personal }),
  };
  const changes = (["label", "options", "personal"] as const).filter((member) => member in change);
  const act = useAct(async () => {
    const result = await write("property.update", { objectType: object.slug, slug: base.slug, ...change, ifVersion: base.version });
    if (result.ok) {
      toast(say(words.saved, { changes: formatList(changes.map((member) => words.changes[member])) }));
      onClose();
    }
    return result;
  });
  return (
    <FormDialog
      title={say(words.editProperty, { property: base.label })}
      act={act}
      submit={messages.common.save}
      onClose={onClose}
      dirty={changes.length > 0}
      disabled={changes.length === 0 || isBehind}
    >
      {isBehind && (
        <div class="changed" role="alert">
          <p>{words.conflict}</p>
          <p>{[property.label, formatList(property.options), property.personal && words.personal].filter(Boolean).join(" · ")}</p>
          <div>
            <Button small onClick={() => setBase(property)}>
              {messages.common.done}
            </Button>
          </div>
        </div>
      )}
      <TextField label={words.name} pointer="/label" value={label} onValue={setLabel} max={100} autoFocus />
      {hasChoices(base.type) && (
        <TextField
          label={words.options}
          hint={words.optionsHint}
          pointer="/options"
          value={choices}
          onValue={setChoices}
          lines={Math.min(10, base.options.length + 2)}
        />
      )}
      <SwitchField
        label={words.personal}
        hint={`${words.personalHint} ${words.alwaysPersonal}`}
        pointer="/personal"
        on={personal}
        onValue={setPersonal}
      />
    </FormDialog>
  );
}
