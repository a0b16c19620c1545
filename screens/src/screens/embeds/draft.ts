/** What is edited of an embed: its draft, what differs from another, and the steps that can be taken back. */
import { formatList, formatNumber } from "../../house/formats";
import { useHistory } from "../../house/history";
import type { Answer, Input } from "../../house/tools";
import { embeds as words } from "../../messages/en/embeds";
import { say } from "../../messages/messages";

export type EmbedDetails = Answer<"embed.get">;
export type Block = EmbedDetails["blocks"][number];
export type Kind = Block["type"];
export type Of<K extends Kind> = Extract<Block, { type: K }>;

export const BLOCKS_MAX = 20;
export const ROWS = 12;

export interface KeyedBlock {
  /** Tells blocks apart while they are changed and moved. */
  key: number;
  block: Block;
}

export interface Draft {
  name: string;
  siteId: string;
  blocks: KeyedBlock[];
}

/** *block* as it is sent: without what is empty or as it is anyway. */
export function plain<B extends Block>(block: B): B {
  const isSaid = ([name, value]: [string, unknown]) =>
    name === "limit" ? value !== ROWS : value !== null && (name === "fields" || !isEmpty(value) || isRequired(name));
  return Object.fromEntries(Object.entries(block).filter(isSaid).sort()) as B; // The same members, fewer of the optional ones.
}

const isEmpty = (value: unknown) => value === "" || (Array.isArray(value) && value.length === 0);
const isRequired = (name: string) => ["title", "body", "formId", "objectType"].includes(name);
const asText = (block: Block) => JSON.stringify(plain(block));

/** Whether *block* has what its kind must have: without that, it cannot be shown. */
export function isComplete(block: Block): boolean {
  return !Object.entries(block).some(([name, value]) => isRequired(name) && typeof value === "string" && value.trim() === "");
}

/** The draft of what is saved. A block that is in *like* as well has the same key as there. */
export function draftOf(embed: Pick<EmbedDetails, "name" | "siteId" | "blocks">, like: readonly KeyedBlock[] = []): Draft {
  const free = [...like];
  const take = (index: number) => (index < 0 ? undefined : free.splice(index, 1)[0]?.key);
  const same = embed.blocks.map((block) => take(free.findIndex((one) => asText(one.block) === asText(block))));
  let next = nextKey(like);
  const blocks = embed.blocks.map((block, place) => {
    const before = like[place];
    const key = same[place] ?? take(free.findIndex((one) => one === before && one.block.type === block.type));
    return { block, key: key ?? next++ };
  });
  return { name: embed.name, siteId: embed.siteId ?? "", blocks };
}

export const nextKey = (blocks: readonly KeyedBlock[]) => Math.max(-1, ...blocks.map(({ key }) => key)) + 1;

/** What an update has to say so that *before* becomes *after*. */
export function updateOf(before: Draft, after: Draft): Omit<Input<"embed.update">, "id"> {
  return {
    ...(before.name !== after.name && { name: after.name }),
    ...(before.siteId !== after.siteId && { siteId: after.siteId || null }),
    ...(blocksText(before) !== blocksText(after) && { blocks: after.blocks.map(({ block }) => plain(block)) }),
  };
}

const blocksText = (draft: Draft) => draft.blocks.map(({ block }) => asText(block)).join("\n");

/** What differs, in words; none where nothing does. */
export function changesOf(before: Draft, after: Draft): string[] {
  const said = words.changes;
  const old = new Map(before.blocks.map(({ key, block }) => [key, asText(block)]));
  const changes: string[] = [];
  if (before.name !== after.name) changes.push(said.name);
  if (before.siteId !== after.siteId) changes.push(said.site);
  const placesOf = (isMeant: (one: KeyedBlock) => boolean) =>
    after.blocks.flatMap((one, place) => (isMeant(one) ? [formatNumber(place + 1)] : []));
  const added = placesOf(({ key }) => !old.has(key));
  const changed = placesOf(({ key, block }) => old.has(key) && old.get(key) !== asText(block));
  if (added.length > 0) changes.push(say(said.added, { n: added.length, places: formatList(added) }));
  if (changed.length > 0) changes.push(say(said.changed, { n: changed.length, places: formatList(changed) }));
  const stay = new Set(after.blocks.map(({ key }) => key));
  const removed = before.blocks.filter(({ key }) => !stay.has(key)).length;
  if (removed > 0) changes.push(say(said.removed, { n: removed }));
  const kept = (draft: Draft) => draft.blocks.map(({ key }) => key).filter((key) => old.has(key) && stay.has(key));
  if (kept(before).join() !== kept(after).join()) changes.push(said.order);
  return changes;
}

export const inWords = (changes: string[]) => formatList(changes);

/** *mine*, made from *before*, with what only *theirs* changed. */
export function merged(mine: Draft, before: Draft, theirs: Draft): Draft {
  const changed = updateOf(before, mine);
  return {
    name: changed.name === undefined ? theirs.name : mine.name,
    siteId: changed.siteId === undefined ? theirs.siteId : mine.siteId,
    blocks: changed.blocks === undefined ? theirs.blocks : mine.blocks,
  };
}

/** A draft with undo and redo. */
export const useDraft = useHistory<Draft>;
