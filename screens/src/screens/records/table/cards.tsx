/** The list on a phone: a card for each record, its name first. */
import { useEffect, useRef } from "preact/hooks";
import { to } from "../../../house/address";
import { messages } from "../../../messages/messages";
import { Foreign } from "../../../parts/texts";
import { useWindow } from "../../../parts/window";
import { withPending } from "../pending";
import { type Property, type RecordLine, titleOf } from "../values/properties";
import { ValueText } from "../values/value_text";
import "../../../styles/records.css";

const HEIGHT = 76;
const SHOWN_MAX = 3;

interface CardsProps {
  label: string;
  shown: readonly Property[];
  rows: readonly RecordLine[];
  hasMore: boolean;
  see: (first: number, last: number) => void;
}

export function Cards({ label, shown, rows, hasMore, see }: CardsProps) {
  const none = useRef<HTMLElement>(null);
  const body = useRef<HTMLUListElement>(null);
  const { first, last } = useWindow(none, body, { count: rows.length, height: HEIGHT });
  useEffect(() => see(first, last), [first, last, rows]);
  return (
    <>
      <ul class="record-cards" aria-label={label} ref={body} style={{ blockSize: `${rows.length * HEIGHT}px` }}>
        {rows.slice(first, last).map((row, at) => {
          const record = withPending(row);
          const filled = shown
            .slice(1)
            .filter(({ slug }) => record.properties[slug] != null)
            .slice(0, SHOWN_MAX);
          return (
            <li key={row.id} style={{ transform: `translateY(${(first + at) * HEIGHT}px)`, blockSize: `${HEIGHT}px` }}>
              <a id={`open-${row.id}`} href={to(`/app/records/${row.objectType}/${row.id}`)}>
                <strong>
                  <Foreign>{titleOf(record, shown)}</Foreign>
                </strong>
                <span class="record-card-values">
                  {filled.map((property) => (
                    <span key={property.slug}>
                      <ValueText property={property} record={record} bare />
                    </span>
                  ))}
                </span>
              </a>
            </li>
          );
        })}
      </ul>
      {hasMore && (
        <p class="table-more" role="status">
          {messages.table.loadingMore}
        </p>
      )}
    </>
  );
}
