/** The import of a file of records: chosen, uploaded, mapped, tried and read. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { go, parameter, to } from "../../house/address";
import { type Query, useAnswer } from "../../house/queries";
import { type Answer, write } from "../../house/tools";
import { Page, PageSkeleton } from "../../frame/page";
import { imports as words } from "../../messages/en/imports";
import { messages, say } from "../../messages/messages";
import { LinkButton } from "../../parts/button";
import { Failure, Notice } from "../../parts/failure";
import { Skeleton } from "../../parts/states";
import { Foreign } from "../../parts/texts";
import type { ScreenProps } from "../../places";
import { Choose } from "./choose";
import { byOf, columnsOf, decimalOf, type Edits, NO_EDITS } from "./columns";
import { Mapping } from "./mapping";
import { CancelButton, Counts, linesOf, Progress, Refused, StageHead, Uploading } from "./outcome";
import { type Import, upload } from "./upload";

type ObjectDetails = Answer<"object.get">;

const OPEN = new Set<Import["state"]>(["uploading", "uploaded", "running", "checked"]);

type Listed = Answer<"import.list">["imports"][number];

const addressOf = ({ objectType, id }: Listed) => to(`/app/settings/objects/${objectType}/import`, { import: id });

/** What was shown at this screen before, whatever its address was. */
interface Past {
  stage: string | null;
  /** The id of the import whose end was seen. */
  ended: string;
}

interface PartProps {
  object: ObjectDetails;
  past: Past;
}

export default function ImportScreen({ params: { object: slug = "" } }: ScreenProps) {
  const asked = parameter("import");
  const { answer: object, problem, query } = useAnswer("object.get", { objectType: slug });
  const past = useRef<Past>({ stage: null, ended: "" }).current;
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
      {asked ? <Named key={asked} id={asked} object={object} past={past} /> : <Newest object={object} past={past} />}
    </Page>
  );
}

/** The import that the address names. */
function Named({ id, object, past }: PartProps & { id: string }) {
  const { answer: import_, problem, query } = useAnswer("import.get", { id });
  if (import_ && !OPEN.has(import_.state)) past.ended = id;
  useEffect(() => {
    if (import_ && import_.objectType !== object.slug) void go(addressOf(import_), { replace: true });
  }, [import_?.objectType, object.slug]);
  useStageFocus(past, import_?.state ?? null);
  if (import_) return <Stages import={import_} object={object} query={query} />;
  return problem ? <Failure problem={problem} again={() => void query.again()} /> : <Skeleton lines={3} />;
}

/** The import that is open, or the choice of a file. */
function Newest({ object: { slug }, past }: PartProps) {
  const { answer, problem, asking, query } = useAnswer("import.list", { limit: 1 });
  const newest = answer?.imports[0];
  // An answer that was kept may be older than the end that was seen here.
  const isOpen = newest !== undefined && OPEN.has(newest.state) && newest.id !== past.ended;
  const isHere = isOpen && newest.objectType === slug;
  useEffect(() => {
    // It may have ended since.
    if (isHere && !query.state.peek().asking) void go(addressOf(newest), { replace: true });
  }, [newest, asking, isHere]);
  useStageFocus(past, "choose");
  if (!answer) return problem ? <Failure problem={problem} again={() => void query.again()} /> : <Skeleton lines={3} />;
  if (!isOpen) return <Start objectType={slug} last={newest} />;
  if (asking || isHere) return <Skeleton lines={3} />;
  const action = <LinkButton href={addressOf(newest)}>{words.choose.show}</LinkButton>;
  return <Notice icon="upload" title={say(words.choose.other, { file: newest.name })} body={words.choose.otherBody} action={action} />;
}

function Start({ objectType, last }: { objectType: string; last: Listed | undefined }) {
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
function Stages({ import: stored, object, query }: StagesProps) {
  const [edits, setEdits] = useState<Edits>(NO_EDITS);
  const { id, state, name } = stored;
  const asRead = useAnswer("import.get", { id, ...edits.reading });
  const import_ = edits.reading && asRead.answer ? asRead.answer : stored;
  const start = useAct(async (dryRun: boolean) => {
    const by = byOf(object, import_, edits);
    const emptyCells = parameter("empty") === "clear" ? ("clear" as const) : ("keep" as const);
    const ofCsv = import_.format === "csv" ? { columns: columnsOf(import_, edits, by), decimal: decimalOf(import_, edits), ...edits.reading } : {};
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
        <Mapping object={object} import={import_} edits={edits} onEdits={setEdits} start={start} unread={edits.reading ? asRead.problem : null} />
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
function useStageFocus(past: Past, stage: string | null): void {
  useEffect(() => {
    const hasMoved = stage !== null && past.stage !== null && stage !== past.stage;
    if (stage !== null) past.stage = stage;
    const isFree = [document.body, document.getElementById("title")].includes(document.activeElement as HTMLElement | null);
    if (hasMoved && isFree) document.getElementById("stage")?.focus();
  }, [stage]);
}
