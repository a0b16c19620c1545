/** The blocks of an embed in their order: added, changed, moved by drag, by keys and by buttons, taken away. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { parameter, setParameters } from "../../house/address";
import { formatNumber } from "../../house/formats";
import { faultAt, type Problem } from "../../house/problems";
import { isPublic } from "../../house/public_properties";
import { useAnswer } from "../../house/queries";
import { embeds as words } from "../../messages/en/embeds";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/icon_names";
import { Menu } from "../../parts/menu";
import { Foreign } from "../../parts/texts";
import { BlockFields } from "./block_fields";
import { BLOCKS_MAX, type Block, type Draft, type KeyedBlock, type Kind, nextKey } from "./draft";
import { type Refusals, Why } from "./refusals";
import "../../styles/embeds.css";

const ICONS: Record<Kind, IconName> = { hero: "heading-1", text: "file-text", records: "table-2", form: "clipboard-list" };

interface BlocksProps {
  blocks: readonly KeyedBlock[];
  change: (made: (draft: Draft) => Draft, what?: string) => void;
  refusals: Refusals;
  problem: Problem | null;
  /** Undo and redo. */
  children: ComponentChildren;
}

export function Blocks({ blocks, change, refusals, problem, children }: BlocksProps) {
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState("");
  const [dragged, setDragged] = useState<number | null>(null);
  const openKey = blocks[Number(parameter("block")) - 1]?.key;
  const open = (place: number) => setParameters({ block: place < 0 ? null : String(place + 1) }, { replace: true });
  const set = (next: KeyedBlock[], what?: string, opened = openKey) => {
    change((draft) => ({ ...draft, blocks: next }), what);
    const place = next.findIndex(({ key }) => key === opened);
    if (next[place]?.key !== openKey || blocks[place]?.key !== openKey) open(place);
  };
  const move = (from: number, to: number, what?: string) => {
    const block = blocks[from];
    if (!block || to < 0 || to >= blocks.length || from === to) return;
    const focused = document.activeElement as HTMLElement | null;
    set(blocks.toSpliced(from, 1).toSpliced(to, 0, block), what);
    setSaid(say(words.moved, { n: to + 1, of: blocks.length }));
    requestAnimationFrame(() => focused?.isConnected && focused.focus()); // A node that is moved loses it.
  };
  const insert = (place: number, block: Block) => {
    const key = nextKey(blocks);
    set(blocks.toSpliced(place, 0, { key, block }), undefined, key);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`#block-${key} :is(input, textarea, select)`)?.focus());
  };
  /** Where the pointer is among the blocks while one is dragged: it moves there at once. */
  const drag = (key: number, y: number) => {
    const from = blocks.findIndex((block) => block.key === key);
    const middles = [...(list.current?.children ?? [])]
      .map((item) => item.getBoundingClientRect())
      .map(({ top, height }) => top + height / 2);
    const before = middles.filter((middle, place) => place < from && y < middle).length;
    const after = middles.filter((middle, place) => place > from && y > middle).length;
    move(from, from - before + after, "drag");
  };
  const isFull = blocks.length >= BLOCKS_MAX;
  return (
    <section class="blocks" aria-label={words.blocks}>
      <header class="blocks-head">
        <h2>
          {words.blocks} <span class="soft">{`${formatNumber(blocks.length)} / ${formatNumber(BLOCKS_MAX)}`}</span>
        </h2>
        {children}
      </header>
      {blocks.length === 0 && <p class="soft">{words.noBlocks}</p>}
      {blocks.length > BLOCKS_MAX && <p class="changed">{say(words.tooMany, { n: blocks.length, most: BLOCKS_MAX })}</p>}
      <ol
        ref={list}
        onPointerMove={(event) => dragged !== null && drag(dragged, event.clientY)}
        onLostPointerCapture={() => setDragged(null)}
      >
        {blocks.map(({ key, block }, place) => {
          const n = place + 1;
          const reason = refusals.get(key);
          const fault = faultAt(problem, `/blocks/${place}`);
          const isOpen = key === openKey;
          return (
            <li
              key={key}
              id={`block-${key}`}
              class="block"
              data-dragged={dragged === key || undefined}
              data-fault={fault || reason ? "true" : undefined}
              onKeyDown={(event) => {
                const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                if (!step || !event.altKey || event.ctrlKey || event.metaKey) return;
                event.preventDefault();
                move(place, place + step);
              }}
            >
              <div class="block-head">
                <span
                  class="block-handle"
                  title={say(words.drag, { n })}
                  onPointerDown={(event) => {
                    if (event.button !== 0) return;
                    event.preventDefault();
                    list.current?.setPointerCapture(event.pointerId); // The block itself is moved in the page.
                    setDragged(key);
                  }}
                >
                  <Icon name="grip-vertical" />
                </span>
                <button type="button" class="block-open" aria-expanded={isOpen} onClick={() => open(isOpen ? -1 : place)}>
                  <span class="hidden">{say(words.open, { n })}</span>
                  <Icon name={ICONS[block.type]} />
                  <span class="two-lines">
                    <span>{words.kinds[block.type]}</span>
                    <span class="soft">
                      <Foreign>{summaryOf(block)}</Foreign>
                    </span>
                  </span>
                  <Icon name={isOpen ? "chevron-down" : "chevron-right"} />
                </button>
                <Button
                  small
                  look="quiet"
                  icon="arrow-up"
                  label={say(words.up, { n })}
                  disabled={place === 0}
                  onClick={() => move(place, place - 1)}
                />
                <Button
                  small
                  look="quiet"
                  icon="arrow-down"
                  label={say(words.down, { n })}
                  disabled={n === blocks.length}
                  onClick={() => move(place, n)}
                />
                <Menu
                  label={say(words.blockActions, { n })}
                  items={[
                    [{ label: words.duplicate, icon: "copy", disabled: isFull, run: () => insert(n, block) }],
                    [{ label: words.removeBlock, icon: "trash-2", danger: true, run: () => set(blocks.toSpliced(place, 1)) }],
                  ]}
                >
                  <Icon name="ellipsis" />
                </Menu>
              </div>
              {reason && (
                <p class="block-note">
                  <Icon name="triangle-alert" size={14} /> <Why block={block} reason={reason} />
                </p>
              )}
              {fault && !isOpen && (
                <p class="block-note field-fault">
                  <Icon name="circle-alert" size={14} /> {fault}
                </p>
              )}
              {isOpen && (
                <BlockFields
                  block={block}
                  at={`/blocks/${place}`}
                  onBlock={(changed, what) => set(blocks.with(place, { key, block: changed }), `${key} ${what}`)}
                />
              )}
            </li>
          );
        })}
      </ol>
      <div class="row blocks-add">
        <AddBlock isFull={isFull} add={(block) => insert(blocks.length, block)} />
        <span class={isFull ? "soft" : "soft keys-hint"}>
          {isFull ? say(words.full, { most: BLOCKS_MAX }) : blocks.length > 1 && say(words.moveHint, { keys: "Alt ↑ ↓" })}
        </span>
      </div>
      <span class="hidden" role="status">
        {said}
      </span>
    </section>
  );
}

function AddBlock({ isFull, add }: { isFull: boolean; add: (block: Block) => void }) {
  const object = useAnswer("object.list", {}).answer?.objects.toSorted(
    (one, other) => Number(other.publishable) - Number(one.publishable),
  )[0];
  const properties = useAnswer("object.get", { objectType: object?.slug ?? "contact" }).answer?.properties;
  const formId = useAnswer("form.list", {}).answer?.forms[0]?.id ?? "";
  const fields = (properties ?? [])
    .filter(isPublic)
    .map(({ slug }) => slug)
    .slice(0, 4);
  const made: Record<Kind, Block> = {
    hero: { type: "hero", title: "" },
    text: { type: "text", body: "" },
    records: { type: "records", objectType: object?.slug ?? "contact", fields },
    form: { type: "form", formId },
  };
  const kinds: Kind[] = ["hero", "text", "records", "form"];
  return (
    <Menu
      label={words.addBlock}
      class="button button-plain"
      items={[
        kinds.map((kind) => ({
          label: `${words.kinds[kind]}: ${words.kindsAbout[kind]}`,
          icon: ICONS[kind],
          disabled: isFull,
          run: () => add(made[kind]),
        })),
      ]}
    >
      <Icon name="plus" /> {words.addBlock}
    </Menu>
  );
}

function summaryOf(block: Block): string {
  const text =
    block.type === "hero"
      ? block.title
      : block.type === "text"
        ? block.heading || block.body
        : block.heading || (block.type === "records" ? block.objectType : "");
  return text.slice(0, 120);
}
