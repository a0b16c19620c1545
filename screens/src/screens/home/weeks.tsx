/** The last seven days as small charts, each with its sum and the seven days before. */
import { formatNumber, formatPercent } from "../../house/formats";
import type { Answer } from "../../house/tools";
import { home } from "../../messages/en/home";
import { say } from "../../messages/messages";
import { WeekBars } from "../../parts/chart";
import { Badge } from "../../parts/texts";
import "../../styles/home.css";

type Week = Answer<"home.get">["weeks"][number];

const words = home.weeks;
/** Of fewer, a share of them says little. */
const COMPARED_FROM = 5;

export function Weeks({ weeks }: { weeks: readonly Week[] }) {
  if (weeks.length === 0) return null;
  return (
    <section aria-labelledby="weeks">
      <h2 id="weeks">{words.title}</h2>
      <div class="home-charts">
        {weeks.map((week) => (
          <Chart key={week.kind} week={week} />
        ))}
      </div>
    </section>
  );
}

function Chart({ week: { kind, days, before } }: { week: Week }) {
  const sum = days.reduce((all, day) => all + day.count, 0);
  const what = words.kinds[kind];
  return (
    <figure class="chart home-chart">
      <figcaption>
        <span class="two-lines">
          <span class="home-what">{what}</span>
          <strong class="chart-sum">{formatNumber(sum)}</strong>
        </span>
        <span class="two-lines home-before">
          {before >= COMPARED_FROM && <Badge>{formatPercent((sum - before) / before)}</Badge>}
          <span class="soft">{before === 0 ? words.none : say(words.before, { n: before })}</span>
        </span>
      </figcaption>
      <WeekBars bars={days.map(({ date, count }) => ({ day: date, count }))} label={say(words.chart, { what, n: sum })} />
    </figure>
  );
}
