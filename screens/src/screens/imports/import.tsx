/** The import of a file of records: chosen, uploaded, mapped, tried and read. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { useAct } from "../../house/acts";
import { go, parameter, to } from "../../house/address";
import type { Result } from "../../house/problems";
import { type Query, useAnswer } from "../../house/queries";
import { type Answer, type Input, write } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { messages, say } from "../../messages/messages";
import { LinkButton } from "../../parts/button";
import { Failure, Notice } from "../../parts/failure";
import { later } from "../../parts/later";
import { Skeleton } from "../../parts/states";
import { Badge, Foreign } from "../../parts/texts";
import { Choose } from "./choose";
import { byOf, columnsOf, decimalOf, type Edits, mappedLike, missingOf, NO_EDITS, relatedTo } from "./columns";
import { End, headOf } from "./end";
import type { MappingProps } from "./mapping";
import { makeProperties, type NewProperties } from "./new_properties";
import { CancelButton, Counts, linesOf, Progress, Refused, StageHead, Uploading } from "./outcome";
import { type Import, upload } from "./upload";
import "../../styles/imports.css";

const Mapping = later<MappingProps>(async () => (await import("./mapping")).Mapping);

type ObjectDetails = Answer<"object.get">;

const OPEN = new Set<Import["state"]>(["uploading", "uploaded", "running", "checked"]);

type DateOrder = NonNullable<Input<"import.start">["dates"]>;
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
  if (problem && !object) return <Failure page problem={problem} again={() => void query.again()} />;
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
      {parameter("like") && <p class="soft">{words.choose.like}</p>}
      <Choose objectType={objectType} />
      {last && (
        <p>
          <a href={to("/app/settings/imports")}>{words.choose.all}</a>
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
  const [wanted, setWanted] = useState<NewProperties>({});
  const { id, state, name } = stored;
  const asRead = useAnswer("import.get", { id, ...edits.reading });
  const earlier = useAnswer("import.get", { id: parameter("like") ?? id }).answer;
  const read = edits.reading && asRead.answer ? asRead.answer : stored;
  const import_ = state === "uploaded" && earlier ? mappedLike(read, earlier) : read;
  const start = useAct(async (dryRun: boolean): Promise<Result<Import>> => {
    const by = byOf(object, import_, edits);
    const { made, refused } = dryRun ? { made: {}, refused: null } : await makeProperties(object, wanted);
    const mapped = { ...edits, columns: { ...edits.columns, ...made } };
    if (Object.keys(made).length > 0) {
      // Another try makes none of them again.
      setEdits(mapped);
      setWanted(Object.fromEntries(Object.entries(wanted).filter(([heading]) => !Object.hasOwn(made, heading))));
    }
    if (refused) return refused;
    const ofCsv = { columns: columnsOf(import_, mapped, by), decimal: decimalOf(import_, edits), ...edits.reading };
    const missing = missingOf(relatedTo(object, import_, edits), parameter("missing"));
    const dates = parameter("dates") as DateOrder | null;
    const result = await write("import.start", {
      id,
      dryRun,
      emptyCells: parameter("empty") === "clear" ? "clear" : "keep",
      onBadCell: parameter("bad") === "empty" ? "empty" : "refuse",
      ...(import_.format === "csv" && ofCsv),
      ...(import_.format === "csv" && dates && { dates }),
      ...(missing.length > 0 && { makeMissing: missing }),
      ...(by && { by }),
    });
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
            {edits !== NO_EDITS && (
              <p>
                <Badge kind="warn">{words.map.old}</Badge>
              </p>
            )}
            <Counts of={import_} old={edits !== NO_EDITS} />
            <Refused of={import_} />
            <h2>
              <Foreign>{say(words.map.title, { file: name })}</Foreign>
            </h2>
          </>
        ) : (
          <StageHead>{say(words.map.title, { file: name })}</StageHead>
        )}
        <Mapping
          isWanted
          meanwhile={<Skeleton />}
          object={object}
          import={import_}
          edits={edits}
          onEdits={setEdits}
          wanted={wanted}
          onWanted={setWanted}
          start={start}
          unread={edits.reading ? asRead.problem : null}
        />
      </div>
    );
  }
  return (
    <div class="import-stage">
      <StageHead>{headOf(import_, n)}</StageHead>
      <End import={import_} object={object} query={query} />
      <p>
        <a href={to("/app/settings/imports")}>{words.choose.all}</a>
      </p>
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
