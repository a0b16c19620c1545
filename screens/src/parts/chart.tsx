import { useState } from "preact/hooks";
import { formatDay, formatNumber } from "../house/formats";
import { messages } from "../messages/messages";
import { Button } from "./button";

export interface Bar {
  /** A calendar day, `2026-09-18`. */
  day: string;
  count: number;
}

const HEIGHT = 96;
const STEP = 12;
const GAP = 3;

/** A number for each day as bars; the same as a table on demand. */
export function Bars({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const [asTable, setAsTable] = useState(false);
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <figure class="chart">
      <figcaption>
        <span>{label}</span>
        <Button small look="quiet" pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {messages.chart.asTable}
        </Button>
      </figcaption>
      {asTable ? (
        <table class="table-plain">
          <thead>
            <tr>
              <th scope="col">{messages.chart.day}</th>
              <th scope="col" class="number">
                {messages.chart.count}
              </th>
            </tr>
          </thead>
          <tbody>
            {bars.toReversed().map((bar) => (
              <tr key={bar.day}>
                <td>{formatDay(bar.day)}</td>
                <td class="number">{formatNumber(bar.count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <>
          <svg viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
            {bars.map((bar, at) => {
              const height = bar.count === 0 ? 1 : Math.max(3, (bar.count / most) * HEIGHT);
              return (
                <rect
                  key={bar.day}
                  class={bar.count === 0 ? "chart-bar chart-none" : "chart-bar"}
                  x={at * STEP + GAP / 2}
                  y={HEIGHT - height}
                  width={STEP - GAP}
                  height={height}
                >
                  <title>{`${formatDay(bar.day)}: ${formatNumber(bar.count)}`}</title>
                </rect>
              );
            })}
          </svg>
          {first && last && (
            <div class="chart-ends">
              <span>{formatDay(first.day)}</span>
              <span>{formatDay(last.day)}</span>
            </div>
          )}
        </>
      )}
    </figure>
  );
}
