/** The import of a file of records: chosen, uploaded, mapped, tried and read. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { go, parameter, to } from "../../house/address";
import { type Query, useAnswer } from "../../house/queries";
import { whichOf } from "../../house/questions";
import { type Answer, write } from "../../house/tools";
import { Page, PageSkeleton } from "../../frame/page";
import { imports as words } from "../../messages/en/imports";
import { messages, say } from "../../messages/messages";
import { LinkButton } from "../../parts/button";
import { Failure, Notice } from "../../parts/failure";
import { Skeleton } from "../../parts/states";
import { Foreign } from "../../parts/texts";
import type { ScreenProps } from "../../places";
import { IMPORT } from "../../questions";
import { Choose } from "./choose";
import { byOf, columnsOf, decimalOf, type Edits, NO_EDITS } from "./columns";
import { Mapping } from "./mapping";
import { CancelButton, Counts, linesOf, Progress, Refused, StageHead, Uploading } from "./outcome";
import { type Import, upload } from "./upload";

type ObjectDetails = Answer<"object.get">;

const OPEN = new Set<Import["state"]>(["uploading", "uploaded", "running", "checked"]);

const addressOf = ({ objectType, id }: Import) => to(`/app/settings/objects/${objectType}/import`, { import: id });

export default function ImportScreen({ params: { object: slug = "" } }: ScreenProps) {
  const asked = parameter("import");
  const { answer: object, problem, query } = useAnswer("object.get", { objectType: slug });
  const found = useAnswer("import.get", whichOf(IMPORT));
  const newest = found.answer;
  const isThere = newest !== undefined && newest.id === asked;
  const ended = useRef("");
  if (isThere && !OPEN.has(newest.state)) ended.current = newest.id;
  // An answer that was kept may be older than the end that was seen here.
  const isOpen = newest !== undefined && OPEN.has(newest.state) && newest.id !== ended.current;
  useEffect(() => {
    // Answers that were kept may be old: the newest import may have ended since.
    if (!newest || found.isOld || found.query.state.peek().asking) return;
    if (isThere ? newest.objectType !== slug : !asked && isOpen && newest.objectType === slug) void go(addressOf(newest), { replace: true });
  }, [newest, found.asking, found.isOld, asked, slug]);
  useStageFocus(isThere ? newest.state : asked ? null : "choose");
  if (problem && !object) return <Failure problem={problem} again={() => void query.again()} />;
  if (!object || object.slug !== slug) return <PageSkeleton />;
  return (
    <Page
      title={say(words.title, { object: object.labelPlural })}
      crumbs={[
        messages.nav.settings,
        { label: messages.screens.objects, href: to("/app/settings/objects") },
        { label: object.labelPlural, href: to(`/app/settings/objects/${slug}`) },
      ]}
      about={words.about}
    >
      {shown()}
    </Page>
  );

  function shown() {
    if (isThere && object) return <Stages key={newest.id} import={newest} object={object} query={found.query} />;
    if (found.problem && (asked || found.problem.code !== "not_found")) return <Failure problem={found.problem} again={() => void found.query.again()} />;
    if (asked || (!newest && !found.problem)) return <Skeleton lines={3} />;
    if (!newest || !isOpen) return <Start objectType={slug} last={newest} />;
    if (found.asking || newest.objectType === slug) return <Skeleton lines={3} />;
    const action = <LinkButton href={addressOf(newest)}>{words.choose.show}</LinkButton>;
    return <Notice icon="upload" title={say(words.choose.other, { file: newest.name })} body={words.choose.otherBody} action={action} />;
  }
}

function Start({ objectType, last }: { objectType: string; last: Import | undefined }) {
  return (
    <div class="import-stage">
      <StageHead>{words.choose.title}</StageHead>
      <Choose objectType={objectType} />
      {last?.objectType === objectType && (
        <p>
          <a href={addressOf(last)}>
            <Foreign>{say(words.choose.last, { file: last.name })}</Foreign>
          </a>
        </p>
      )}
    </div>
  );
}

interface StagesProps {
  import: Import;
  object: ObjectDetails;
  query: Query<Import>;
}

/** What comes next in an import, by its state. */
function Stages({ import: import_, object, query }: StagesProps) {
  const [edits, setEdits] = useState<Edits>(NO_EDITS);
  const { id, state, name } = import_;
  const start = useAct(async (dryRun: boolean) => {
    const by = byOf(object, import_, edits);
    const emptyCells = parameter("empty") === "clear" ? ("clear" as const) : ("keep" as const);
    const ofCsv = import_.format === "csv" ? { columns: columnsOf(import_, edits, by), decimal: decimalOf(import_, edits) } : {};
    const result = await write("import.start", { id, dryRun, emptyCells, ...ofCsv, ...(by && { by }) });
    if (result.ok) {
      query.expect(() => result.answer);
      setEdits(NO_EDITS);
    }
    return result;
  });
  const n = linesOf(import_);
  if (state === "uploading") {
    return (
      <div class="import-stage">
        <StageHead>{say(words.upload.title, { file: name })}</StageHead>
        <Uploading of={import_} />
        {upload.value?.id !== id && <Choose objectType={object.slug} goOn={import_} />}
        <CancelRow of={import_} />
      </div>
    );
  }
  if (state === "running") {
    return (
      <div class="import-stage">
        <StageHead>{say(import_.dryRun ? words.run.trying : words.run.importing, { file: name })}</StageHead>
        <Progress label={words.run.progress} done={import_.readBytes} of={import_.bytes} />
        <p class="soft">
          {say(words.run.lines, { n })}. {words.run.leave}
        </p>
        <Counts of={import_} />
        <CancelRow of={import_} />
      </div>
    );
  }
  if (state === "uploaded" || state === "checked") {
    return (
      <div class="import-stage">
        {state === "checked" ? (
          <>
            <StageHead>{say(words.end.checked, { n })}</StageHead>
            <Counts of={import_} />
            <Refused of={import_} />
            <h2>
              <Foreign>{say(words.map.title, { file: name })}</Foreign>
            </h2>
          </>
        ) : (
          <StageHead>{say(words.map.title, { file: name })}</StageHead>
        )}
        <Mapping object={object} import={import_} edits={edits} onEdits={setEdits} start={start} />
      </div>
    );
  }
  return (
    <div class="import-stage">
      <StageHead>{state === "done" ? say(words.end.done, { n: n - import_.counts.refused, file: name }) : say(words.end[state], { file: name })}</StageHead>
      {import_.failure && (
        <p class="field-fault">
          <Foreign>{import_.failure}</Foreign>
        </p>
      )}
      {state !== "done" && n > 0 && !import_.dryRun && <p class="soft">{words.end.stays}</p>}
      {n > 0 && (
        <>
          <Counts of={import_} />
          <Refused of={import_} />
        </>
      )}
      <div>
        <LinkButton look="solid" icon="upload" href={to(`/app/settings/objects/${object.slug}/import`)}>
          {words.end.another}
        </LinkButton>
      </div>
    </div>
  );
}

function CancelRow({ of: import_ }: { of: Import }) {
  return (
    <div>
      <CancelButton of={import_} />
    </div>
  );
}

/** Give the focus to the head of what is shown, when what had it went with the stage before, or was the page's title. */
function useStageFocus(stage: string | null): void {
  const before = useRef(stage);
  useEffect(() => {
    const hasMoved = stage !== null && before.current !== null && stage !== before.current;
    if (stage !== null) before.current = stage;
    const isFree = [document.body, document.getElementById("title")].includes(document.activeElement as HTMLElement | null);
    if (hasMoved && isFree) document.getElementById("stage")?.focus();
  }, [stage]);
}
