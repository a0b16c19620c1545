/** Records that may be one and the same: group by group side by side, or two that somebody has chosen. */
import { useEffect } from "preact/hooks";
import { Page, PageSkeleton } from "../../../frame/page";
import type { ScreenProps } from "../../../frame/screen";
import { go, parameter, setParameters, to } from "../../../house/address";
import { useKeys } from "../../../house/keys";
import { useList } from "../../../house/lists";
import { useAnswer } from "../../../house/queries";
import { type Answer, write } from "../../../house/tools";
import { toastWithUndo } from "../../../house/undo";
import { duplicates as words } from "../../../messages/en/duplicates";
import { say } from "../../../messages/messages";
import { Button, LinkButton } from "../../../parts/button";
import { Failure } from "../../../parts/failure";
import { Empty, Skeleton } from "../../../parts/states";
import { Compare } from "./compare";
import type { ObjectDetails } from "./shapes";
import "../../../styles/record_page.css";

export default function Duplicates({ params: { object: slug = "" } }: ScreenProps) {
  const { answer: object, problem, query } = useAnswer("object.get", { objectType: slug });
  const [one, other] = [parameter("id"), parameter("with")];
  if (problem && !object) return <Failure page problem={problem} again={() => void query.again()} />;
  if (object?.slug !== slug) return <PageSkeleton />;
  return (
    <Page title={words.title} about={words.about} crumbs={[{ label: object.labelPlural, href: to(`/app/records/${slug}`) }]} wide>
      {one && other ? <Pair key={`${one} ${other}`} object={object} ids={[one, other]} /> : <Groups object={object} />}
    </Page>
  );
}

type Group = Answer<"record.duplicates">["groups"][number];

/** One group after the other: the address says which, and the next slides in where one is done with. */
function Groups({ object }: { object: ObjectDetails }) {
  const list = useList("record.duplicates", "groups", { objectType: object.slug });
  const groups = list.rows;
  const count = groups?.length ?? 0;
  const at = Math.max(0, Math.min(Number(parameter("at")) || 0, count - 1));
  useEffect(() => {
    // A page may have none, and still not be the last.
    if (groups && list.hasMore && at >= count - 1) list.more();
  }, [list.hasMore, count, at]);
  const move = (step: number) => {
    const next = Math.max(0, Math.min(at + step, count - 1));
    setParameters({ at: next ? String(next) : null }, { replace: true });
  };
  useKeys([
    { key: "j", label: words.nextGroup, run: () => move(1) },
    { key: "k", label: words.previousGroup, run: () => move(-1) },
  ]);
  if (list.problem && !groups) return <Failure problem={list.problem} again={list.again} />;
  const group = groups?.[at];
  if (!group) return !groups || list.hasMore ? <Skeleton lines={6} height={40} /> : <None object={object} />;
  const ids = group.records.map(({ id }) => id);
  const tellApart = (different: boolean) => write("record.distinguish", { ids, different });
  return (
    <>
      <GroupHead group={group} at={at} count={count} hasMore={list.hasMore} move={move} />
      <Compare
        key={ids.join(" ")}
        records={group.records}
        object={object}
        onMerged={() => undefined}
        notSame={async () => {
          const result = await tellApart(true);
          if (result.ok) toastWithUndo(words.notSameDone, () => tellApart(false));
          return result;
        }}
      />
    </>
  );
}

interface GroupHeadProps {
  group: Group;
  at: number;
  count: number;
  hasMore: boolean;
  move: (step: number) => void;
}

function GroupHead({ group, at, count, hasMore, move }: GroupHeadProps) {
  const values = { at: at + 1, n: count };
  const more = group.count - group.records.length;
  return (
    <div class="record-head-row compare-head">
      <div>
        <h2>{words.by[group.by]}</h2>
        <p class="soft" role="status">
          {say(hasMore ? words.placeOfMore : words.place, values)}
          {more > 0 && ` · ${say(words.more, { n: more })}`}
        </p>
      </div>
      <div class="row">
        <Button small disabled={at === 0} onClick={() => move(-1)}>
          {words.previous} <kbd>K</kbd>
        </Button>
        <Button small disabled={at >= count - 1} onClick={() => move(1)}>
          {words.next} <kbd>J</kbd>
        </Button>
      </div>
    </div>
  );
}

function None({ object }: { object: ObjectDetails }) {
  const action = <LinkButton href={to(`/app/records/${object.slug}`)}>{say(words.toList, { object: object.labelPlural })}</LinkButton>;
  return (
    <Empty icon="circle-check" title={words.none} action={action}>
      {words.noneBody}
    </Empty>
  );
}

function Pair({ object, ids: [one, other] }: { object: ObjectDetails; ids: [string, string] }) {
  const first = useAnswer("record.get", { objectType: object.slug, id: one });
  const second = useAnswer("record.get", { objectType: object.slug, id: other });
  const problem = first.problem ?? second.problem;
  if (problem && !(first.answer && second.answer)) {
    const again = () => void Promise.all([first.query.again(), second.query.again()]);
    return <Failure problem={problem} again={again} />;
  }
  if (!first.answer || !second.answer) return <Skeleton lines={6} height={40} />;
  return (
    <Compare
      records={[first.answer, second.answer]}
      stays={one}
      object={object}
      onMerged={({ id }) => void go(to(`/app/records/${object.slug}/${id}`), { replace: true, saved: true })}
    />
  );
}
