/** What a block of each kind holds. */
import { useAnswer } from "../../house/queries";
import { embeds as words } from "../../messages/en/embeds";
import { SelectField, TextField } from "../../parts/field";
import type { Block, Kind } from "./draft";
import { type FieldsProps, HeadingField } from "./heading_field";
import { RecordsFields } from "./records_fields";
import "../../styles/embeds.css";

const said = words.fields;

export function BlockFields({ block, at, onBlock }: { block: Block } & Pick<FieldsProps<Kind>, "at" | "onBlock">) {
  return (
    <div class="block-fields">
      {block.type === "hero" && <HeroFields block={block} at={at} onBlock={onBlock} />}
      {block.type === "text" && <TextFields block={block} at={at} onBlock={onBlock} />}
      {block.type === "records" && <RecordsFields block={block} at={at} onBlock={onBlock} />}
      {block.type === "form" && <FormFields block={block} at={at} onBlock={onBlock} />}
    </div>
  );
}

function HeroFields({ block, at, onBlock }: FieldsProps<"hero">) {
  const field = (member: "title" | "subtitle" | "image" | "ctaLabel" | "ctaHref") => ({
    label: said[member],
    pointer: `${at}/${member}`,
    value: block[member] ?? "",
    onValue: (value: string) => onBlock({ ...block, [member]: value }, member),
    optional: member !== "title",
  });
  return (
    <>
      <TextField {...field("title")} max={200} />
      <TextField {...field("subtitle")} max={500} lines={2} />
      <TextField {...field("image")} hint={said.imageHint} mono />
      <TextField {...field("ctaLabel")} max={200} />
      <TextField {...field("ctaHref")} hint={said.ctaHint} mono />
    </>
  );
}

function TextFields({ block, at, onBlock }: FieldsProps<"text">) {
  return (
    <>
      <HeadingField block={block} at={at} onBlock={onBlock} />
      <TextField
        label={said.body}
        hint={said.bodyHint}
        pointer={`${at}/body`}
        value={block.body}
        onValue={(body) => onBlock({ ...block, body }, "body")}
        max={20_000}
        lines={7}
      />
    </>
  );
}

function FormFields({ block, at, onBlock }: FieldsProps<"form">) {
  const forms = useAnswer("form.list", {}).answer?.forms;
  const known = (forms ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = known.some(({ value }) => value === block.formId);
  const other = { value: block.formId, label: block.formId || said.noForms };
  return (
    <>
      <SelectField
        label={said.form}
        pointer={`${at}/formId`}
        value={block.formId}
        onValue={(formId) => onBlock({ ...block, formId }, "form")}
        choices={isKnown ? known : [other, ...known]}
      />
      <HeadingField block={block} at={at} onBlock={onBlock} />
    </>
  );
}
