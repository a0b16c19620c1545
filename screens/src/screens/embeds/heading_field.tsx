/** The field that most kinds of blocks have, and what the fields of every kind are given. */
import { embeds as words } from "../../messages/en/embeds";
import { TextField } from "../../parts/field";
import type { Block, Kind, Of } from "./draft";

export interface FieldsProps<K extends Kind> {
  block: Of<K>;
  /** Its pointer in what is saved. */
  at: string;
  /** *what* names the field that was typed into. */
  onBlock: (block: Block, what: string) => void;
}

/** The heading that most kinds of blocks have. */
export function HeadingField({ block, at, onBlock }: FieldsProps<"text" | "records" | "form">) {
  return (
    <TextField
      label={words.fields.heading}
      pointer={`${at}/heading`}
      value={block.heading ?? ""}
      onValue={(heading) => onBlock({ ...block, heading }, "heading")}
      max={200}
      optional
    />
  );
}
