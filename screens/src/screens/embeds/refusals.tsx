/** Blocks of records that show nothing, and why: at the block, and once more after saving. */
import { to } from "../../house/address";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { embeds as words } from "../../messages/en/embeds";
import { say } from "../../messages/messages";
import { Icon } from "../../parts/icon";
import type { Block, KeyedBlock } from "./draft";
import "../../styles/embeds.css";

type Refused = Answer<"embed.preview">["refused"][number];
/** The reasons by the keys of their blocks. */
export type Refusals = ReadonlyMap<number, Refused["reason"]>;

export function refusalsOf(refused: readonly Refused[], blocks: readonly KeyedBlock[]): Refusals {
  return new Map(refused.flatMap(({ block, reason }) => (blocks[block] ? [[blocks[block].key, reason] as const] : [])));
}

/** Why *block* shows nothing, and where that can be changed. */
export function Why({ block, reason }: { block: Block; reason: Refused["reason"] }) {
  const objects = useAnswer("object.list", {}).answer?.objects;
  const slug = block.type === "records" ? block.objectType : "";
  const object = objects?.find((one) => one.slug === slug)?.labelPlural ?? slug;
  return (
    <>
      {say(words.refused[reason], { object })}{" "}
      {reason === "not_publishable" && <a href={to(`/app/settings/objects/${slug}`)}>{words.mayAppear}</a>}
    </>
  );
}

export function SavedRefused({ refusals, blocks }: { refusals: Refusals; blocks: readonly KeyedBlock[] }) {
  return (
    <div class="changed" role="alert">
      <strong>{say(words.savedRefused, { n: refusals.size })}</strong>
      <ul class="refused-list">
        {blocks.map(({ key, block }, place) => {
          const reason = refusals.get(key);
          return (
            reason && (
              <li key={key}>
                <Icon name="triangle-alert" size={14} /> {say(words.place, { n: place + 1, of: blocks.length })}:{" "}
                <Why block={block} reason={reason} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
