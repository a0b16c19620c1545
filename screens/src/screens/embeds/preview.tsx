/** The very fragment that pages get, at the width of a desk or of a phone. */
import { parameter, setParameters } from "../../house/address";
import type { Problem } from "../../house/problems";
import { embeds as words } from "../../messages/en/embeds";
import { RadioField } from "../../parts/field";
import { Fragment } from "../../parts/fragment";
import { Icon } from "../../parts/icon";
import { Skeleton } from "../../parts/states";
import type { EmbedDetails } from "./draft";
import "../../styles/embeds.css";

const said = words.preview;
const WIDTHS = { desktop: 1_040, phone: 375 };

export interface Shown {
  html: string | undefined;
  problem: Problem | null;
  isEmpty: boolean;
}

export function Preview({ embed, dirty, shown: { html, problem, isEmpty } }: { embed: EmbedDetails; dirty: boolean; shown: Shown }) {
  const isNarrow = matchMedia("(max-width: 48rem)").matches;
  const chosen = parameter("width") ?? (isNarrow ? "phone" : "desktop");
  const width = chosen === "phone" ? "phone" : "desktop";
  return (
    <section class="visitors" aria-label={said.label}>
      <header class="visitors-head">
        <h2>{said.label}</h2>
        {embed.status === "active" ? (
          <a href={`/api/e/${embed.embedKey}?format=html`} target="_blank" rel="noopener" title={dirty ? said.openUnsaved : undefined}>
            <Icon name="external-link" size={14} /> {said.open}
          </a>
        ) : (
          <span class="soft">{said.openPaused}</span>
        )}
        <RadioField
          label={said.width}
          value={width}
          onValue={(value) => setParameters({ width: value }, { replace: true })}
          choices={[
            { value: "desktop", label: said.desktop },
            { value: "phone", label: said.phone },
          ]}
        />
      </header>
      {problem && (
        <p class="visitors-note" role="status">
          <Icon name="triangle-alert" size={14} /> {said.stale} {problem.faults.map((fault) => fault.detail).join(" ") || problem.title}
        </p>
      )}
      {html === undefined ? (
        problem ? null : (
          <Skeleton />
        )
      ) : isEmpty ? (
        <p class="visitors-none soft">{said.empty}</p>
      ) : (
        <Fragment html={html} width={WIDTHS[width]} ownSite={embed.domain ?? said.ownSite} label={said.label} />
      )}
    </section>
  );
}
