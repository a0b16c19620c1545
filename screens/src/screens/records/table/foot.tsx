/** The foot of the grid: what the numbers of all records of the list add up to, whether they are loaded or not. */
import { useId, useRef } from "preact/hooks";
import { useAnswer } from "../../../house/queries";
import { records as words } from "../../../messages/en/records";
import { messages, say } from "../../../messages/messages";
import { place } from "../../../parts/menu";
import { isNumeric, type Property } from "../values/properties";
import { totalTexts } from "../values/sums";
import type { Narrowed } from "../which";
import { alignOf, type Column } from "./columns";
import "../../../styles/records.css";

const MEASURES_MAX = 10;

interface FootProps {
  objectType: string;
  narrowed: Narrowed;
  columns: readonly Column[];
  canSelect: boolean;
  hasMore: boolean;
}

export function GridFoot({ hasMore, ...props }: FootProps) {
  if (props.columns.some(({ property }) => isNumeric(property))) return <Sums {...props} />;
  if (!hasMore) return null;
  return (
    <div role="rowgroup">
      <div class="grid-more soft" role="row">
        <div role="gridcell">{messages.table.loadingMore}</div>
      </div>
    </div>
  );
}

function Sums({ objectType, narrowed, columns, canSelect }: Omit<FootProps, "hasMore">) {
  const added = columns
    .map(({ property }) => property)
    .filter(isNumeric)
    .slice(0, MEASURES_MAX);
  const measures = added.map(({ slug }) => ({ op: "sum" as const, property: slug }));
  const { answer } = useAnswer("record.aggregate", { objectType, ...narrowed, measures });
  const values = answer?.groups[0]?.values ?? [];
  const textsOf = (property: Property) => {
    const at = added.indexOf(property);
    return at < 0 ? [] : totalTexts(property, values[at]);
  };
  return (
    <div class="grid-foot" role="rowgroup">
      <div class="grid-foot-row" role="row">
        {canSelect && <div class="grid-check" role="gridcell" />}
        {columns.map(({ property }, at) => (
          <div key={property.slug} class={at === 0 ? "grid-cell grid-name" : "grid-cell"} role="gridcell" data-align={alignOf(property)}>
            {at === 0 ? words.total : <SumTexts of={property} texts={textsOf(property)} />}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Sums beside each other are told apart by their currencies; more than these are behind a button. */
const CURRENCIES_SHOWN = 2;

function SumTexts({ of, texts }: { of: Property; texts: readonly string[] }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLUListElement>(null);
  if (texts.length <= CURRENCIES_SHOWN) {
    return (
      <>
        {texts.map((sum) => (
          <span key={sum} title={sum}>
            {sum}
          </span>
        ))}
      </>
    );
  }
  return (
    <>
      <button type="button" ref={button} class="button button-quiet button-small" popovertarget={id}>
        {say(words.currencies, { n: texts.length })}
      </button>
      <ul
        popover="auto"
        id={id}
        ref={panel}
        class="menu grid-sums"
        aria-label={say(words.totalOf, { property: of.label })}
        onToggle={({ newState }) => {
          if (newState === "open" && panel.current && button.current) place(panel.current, button.current);
        }}
      >
        {texts.map((sum) => (
          <li key={sum}>{sum}</li>
        ))}
      </ul>
    </>
  );
}
