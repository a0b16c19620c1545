/** The head of the grid: a click sorts, dragging moves a column, its edge makes it wider. By keys as well, see `head_keys`. */
import { useRef } from "preact/hooks";
import { records as words } from "../../../messages/en/records";
import { say } from "../../../messages/messages";
import { Icon } from "../../../parts/icon";
import type { Sort } from "../which";
import { alignOf, type Column, widen } from "./columns";
import { HEAD } from "./places";
import { cellId } from "./row";
import "../../../styles/records.css";

export interface HeadActions {
  /** With *add*, behind what is sorted by already. */
  sort: (slug: string, add: boolean) => void;
  move: (slug: string, target: string) => void;
}

interface HeadProps {
  objectType: string;
  columns: readonly Column[];
  sort: readonly Sort[];
  focus: number | null;
  actions: HeadActions;
  /** Undefined where nothing can be selected. */
  selectAll: { isAll: boolean; isSome: boolean; count: number; toggle: () => void } | undefined;
}

export function GridHead({ objectType, columns, sort, focus, actions, selectAll }: HeadProps) {
  const dragged = useRef<string | null>(null);
  return (
    <div class="grid-head" role="row" aria-rowindex={1}>
      {selectAll && (
        <div class="grid-check" role="columnheader">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={say(words.selectLoaded, { n: selectAll.count })}
            checked={selectAll.isAll}
            indeterminate={selectAll.isSome && !selectAll.isAll}
            onChange={selectAll.toggle}
          />
        </div>
      )}
      {columns.map(({ property, width }, at) => {
        const { slug, label } = property;
        const place = sort.findIndex((one) => one.property === slug);
        const isDown = sort[place]?.direction === "desc";
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the grid's.
          <div
            key={slug}
            id={cellId(HEAD, at)}
            class={at === 0 ? "grid-heading grid-name" : "grid-heading"}
            role="columnheader"
            aria-sort={place < 0 ? undefined : isDown ? "descending" : "ascending"}
            data-align={alignOf(property)}
            data-focus={focus === at ? "" : undefined}
            data-heading={at}
            draggable={at > 0}
            onClick={(event) => actions.sort(slug, event.shiftKey)}
            onDragStart={(event) => {
              dragged.current = slug;
              event.dataTransfer?.setData("text/plain", label);
            }}
            onDragOver={(event) => {
              if (dragged.current && dragged.current !== slug) event.preventDefault();
            }}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged.current && dragged.current !== slug) actions.move(dragged.current, slug);
              dragged.current = null;
            }}
          >
            <span class="grid-label" title={label}>
              {label}
            </span>
            {place >= 0 && <Icon name={isDown ? "arrow-down" : "arrow-up"} size={14} />}
            {place >= 0 && sort.length > 1 && <span class="grid-nth">{place + 1}</span>}
            <Edge objectType={objectType} slug={slug} width={width} />
          </div>
        );
      })}
    </div>
  );
}

/** The end of a heading, which is drawn to make the column wider; two clicks make it as wide as at first. */
function Edge({ objectType, slug, width }: { objectType: string; slug: string; width: number }) {
  const begun = useRef<{ x: number; width: number } | null>(null);
  return (
    <span
      class="grid-edge"
      aria-hidden="true"
      onClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => {
        event.preventDefault();
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        begun.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => {
        if (!begun.current) return;
        const way = getComputedStyle(event.currentTarget).direction === "rtl" ? -1 : 1;
        widen(objectType, slug, begun.current.width + way * (event.clientX - begun.current.x));
      }}
      onPointerUp={() => {
        begun.current = null;
      }}
    />
  );
}
