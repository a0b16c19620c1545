/** How far an import is, and what became of its lines. */
import { useAct } from "../../house/acts";
import { formatNumber } from "../../house/formats";
import { download } from "../../house/requests";
import { write } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { ErrorBox } from "../../parts/states";
import { Foreign } from "../../parts/texts";
import { Faults } from "./faults";
import { forget, type Import, upload } from "./upload";
import "../../styles/imports.css";

const OUTCOMES = ["created", "updated", "unchanged", "suggested", "refused"] as const;

export function linesOf({ counts }: Import): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

/** The head of what is shown now: it gets the focus when what had it is gone. */
export function StageHead({ children }: { children: string }) {
  return (
    <h2 id="stage" tabIndex={-1}>
      <Foreign>{children}</Foreign>
    </h2>
  );
}

export function Progress({ label, done, of }: { label: string; done: number; of: number }) {
  return (
    <div class="progress">
      <progress aria-label={label} max={of} value={done} />
      <span>{formatNumber(Math.floor((100 * done) / of))} %</span>
    </div>
  );
}

/** The upload, as far as it is; where it is another tab's, or was broken off, the same file goes on with it. */
export function Uploading({ of: import_ }: { of: Import }) {
  const own = upload.value?.id === import_.id ? upload.value : null;
  const sent = own?.sentBytes ?? Math.min((import_.nextPart ?? 0) * import_.partBytes, import_.bytes);
  return (
    <>
      <Progress label={words.upload.progress} done={sent} of={import_.bytes} />
      {own?.problem && !own.stopped && (
        <p class="soft" role="status">
          <Icon name="wifi-off" /> {say(words.upload.waits, { why: own.problem.title })}
        </p>
      )}
      {own?.stopped && (
        <>
          <ErrorBox problem={own.problem} />
          <div>
            <Button onClick={own.goOn}>{words.upload.goOn}</Button>
          </div>
        </>
      )}
      {!own && <p class="soft">{words.upload.elsewhere}</p>}
    </>
  );
}

/** What became of the lines, or would; *old* where that was before the last changes of how they are read. */
export function Counts({ of: { counts, dryRun }, old = false }: { of: Import; old?: boolean }) {
  return (
    <>
      <dl class="import-counts" data-old={old || undefined}>
        {OUTCOMES.map((outcome) => (
          <div key={outcome} data-bad={(outcome === "refused" && counts.refused > 0) || undefined}>
            <dt>{words.counts[outcome]}</dt>
            <dd>{formatNumber(counts[outcome])}</dd>
          </div>
        ))}
        {counts.made > 0 && (
          <div>
            <dt>{words.counts.made}</dt>
            <dd>{formatNumber(counts.made)}</dd>
          </div>
        )}
      </dl>
      {counts.leftOut > 0 && <p class="soft">{say(dryRun ? words.cellsTried : words.cells, { n: counts.leftOut })}</p>}
    </>
  );
}

/** Why lines were refused and cells left out, and the files with all of them. */
export function Refused({ of: import_ }: { of: Import }) {
  const { counts, refusedPath, reportPath, state, format } = import_;
  const isOver = state !== "running";
  const stem = import_.name.replace(/\.\w+$/, "");
  const fetching = useAct((path: string, name: string) => download(path, name));
  return (
    <>
      <ErrorBox problem={fetching.problem} />
      <div class="form-actions">
        {refusedPath && isOver && (
          <Button icon="download" busy={fetching.busy} onClick={() => void fetching.run(refusedPath, `${stem}.refused.${format}`)}>
            {words.refused.file}
          </Button>
        )}
        {reportPath && isOver && (
          <Button icon="download" busy={fetching.busy} onClick={() => void fetching.run(reportPath, `${stem}.report.csv`)}>
            {words.refused.report}
          </Button>
        )}
      </div>
      {counts.refused > 0 && isOver && <p class="soft">{words.refused.fileHint}</p>}
      <Faults of={import_} />
    </>
  );
}

/** Ends an import that is open; what was written stays. */
export function CancelButton({ of: { id, state, dryRun } }: { of: Import }) {
  const said = words.cancel;
  const cancel = async () => {
    const body = state === "running" && !dryRun ? said.written : said.nothing;
    const act = async () => {
      const result = await write("import.cancel", { id });
      if (result.ok) forget(id);
      return result;
    };
    await ask({ title: said.title, body, confirm: said.stop, cancel: said.keep, danger: true, act });
  };
  return (
    <Button look="quiet" onClick={() => void cancel()}>
      {said.cancel}
    </Button>
  );
}
