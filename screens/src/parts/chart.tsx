import { useState } from "preact/hooks";
import { formatDay, formatNumber } from "../house/formats";
import { messages, say } from "../messages/messages";
import { Button } from "./button";

export interface Bar {
  /** A calendar day, `2026-09-18`. */
  day: string;
  count: number;
}

const HEIGHT = 96;
const STEP = 12;
const GAP = 3;
const LINES = [1, 0.5, 0];

/** The next of 2, 4, 10, 20, 40, 100 …: its half is a whole number as well. */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [2, 4, 10].map((step) => step * power).find((top) => top >= most) ?? most;
}

interface BarsProps {
  bars: readonly Bar[];
  label: string;
  /** How a number is written, where it is not a plain one. */
  format?: (count: number) => string;
}

/** A number for each day as bars, with their sum; the last day is today, which is not over. The same as a table on demand. */
export function Bars({ bars, label, format = formatNumber }: BarsProps) {
  const [asTable, setAsTable] = useState(false);
  const sum = bars.reduce((all, bar) => all + bar.count, 0);
  return (
    <figure class="chart">
      <figcaption>
        <span class="two-lines">
          <strong class="chart-sum">{format(sum)}</strong>
          <span class="soft">{label}</span>
        </span>
        <Button small look="quiet" pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {messages.chart.asTable}
        </Button>
      </figcaption>
      {asTable ? <AsTable bars={bars} format={format} /> : <Drawn bars={bars} label={label} format={format} />}
    </figure>
  );
}

/** The days on which there was something. */
function AsTable({ bars, format }: Required<Omit<BarsProps, "label">>) {
  return (
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
        {bars
          .filter((bar) => bar.count > 0)
          .toReversed()
          .map((bar) => (
            <tr key={bar.day}>
              <td>{formatDay(bar.day)}</td>
              <td class="number">{format(bar.count)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** As `Bars`, small and without its head: for a week beside others. */
export function WeekBars({ bars, label }: { bars: readonly Bar[]; label: string }) {
  return <Drawn bars={bars} label={label} format={formatNumber} />;
}

function Drawn({ bars, label, format }: Required<BarsProps>) {
  const [at, setAt] = useState<number | null>(null);
  const top = roundUp(Math.max(...bars.map((bar) => bar.count), 1));
  const [first, last] = [bars[0], bars.at(-1)];
  const pointed = at === null ? undefined : bars[at];
  const width = bars.length * STEP;
  return (
    <>
      <div class="chart-plot">
        <svg
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
          onPointerLeave={() => setAt(null)}
          onPointerMove={({ currentTarget, clientX }) => {
            const box = currentTarget.getBoundingClientRect();
            setAt(Math.min(bars.length - 1, Math.max(0, Math.floor(((clientX - box.left) / box.width) * bars.length))));
          }}
        >
          {LINES.map((part) => (
            <line key={part} class="chart-line" x1="0" x2={width} y1={HEIGHT * (1 - part)} y2={HEIGHT * (1 - part)} />
          ))}
          {bars.map((bar, place) => {
            const height = bar.count === 0 ? 0 : Math.max(3, (bar.count / top) * HEIGHT);
            const look = place === at ? "chart-bar chart-pointed" : place === bars.length - 1 ? "chart-bar chart-today" : "chart-bar";
            return (
              <rect key={bar.day} class={look} x={place * STEP + GAP / 2} y={HEIGHT - height} width={STEP - GAP} height={height} rx="1" />
            );
          })}
        </svg>
        <div class="chart-scale" aria-hidden="true">
          {LINES.map((part) => (
            <span key={part}>{format(top * part)}</span>
          ))}
        </div>
      </div>
      {first && last && (
        <div class="chart-ends">
          <span>{formatDay(first.day)}</span>
          {pointed && <strong>{say(messages.chart.pointed, { day: formatDay(pointed.day), count: format(pointed.count) })}</strong>}
          <span>{formatDay(last.day)}</span>
        </div>
      )}
    </>
  );
}
