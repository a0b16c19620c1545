/** What a card asks for, as a sentence: `Delete Robin Example`. */
import type { ComponentChildren } from "preact";
import { formatNumber } from "../../house/formats";
import type { Answer } from "../../house/tools";
import { approvals as words } from "../../messages/en/approvals";
import { say } from "../../messages/messages";
import { Foreign } from "../../parts/texts";
import { isId, ObjectName, ThingName } from "../../parts/thing_name";

export type Card = Answer<"approval.get">;

/** The member of *card*'s input, if it is a text. */
export function given(card: Card, member: string): string | null {
  const value = card.input?.[member];
  return typeof value === "string" ? value : null;
}

const isKnown = (tool: string): tool is keyof typeof words.does => tool in words.does;

/** The sentence with its holes: `Delete {thing}`. */
function sentenceOf(card: Card): string {
  const { tool, input } = card;
  if (tool === null) return card.reason ?? words.hiddenReason;
  if (tool === "object.publish" && input?.publishable === false) return words.unpublish;
  return isKnown(tool) ? words.does[tool] : say(words.other, { tool });
}

/** What a card is called where there is no place for names. */
export const plainTitle = (card: Card): string => sentenceOf(card).replaceAll(/\s*\{\w+\}/g, "");

export function Title({ of: card, bare = true }: { of: Card; bare?: boolean }) {
  if (card.tool === null) return <Foreign>{sentenceOf(card)}</Foreign>;
  return (
    <>
      {sentenceOf(card)
        .split(/(\{\w+\})/)
        .map((part) => (part.startsWith("{") ? <Fragment key={part} of={card} hole={part.slice(1, -1)} bare={bare} /> : part))}
    </>
  );
}

function Fragment({ of: card, hole, bare }: { of: Card; hole: string; bare: boolean }): ComponentChildren {
  const ids = card.input?.ids;
  if (hole === "n") return Array.isArray(ids) ? formatNumber(ids.length) : "";
  const text = given(card, { thing: "id", other: "mergedId", object: "objectType", slug: "slug" }[hole] ?? hole);
  if (text === null) return "";
  if (hole === "object") return <ObjectName slug={text} />;
  return isId(text) ? <ThingName id={text} bare={bare} /> : <code>{text}</code>;
}
