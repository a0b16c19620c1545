/** A record's page: what it is, its properties, what leads to it, and all that happened to it. */
import { useEffect } from "preact/hooks";
import { Page, PageSkeleton } from "../../../frame/page";
import type { ScreenProps } from "../../../frame/screen";
import { useAct } from "../../../house/acts";
import { go, parameter, setParameters, to } from "../../../house/address";
import { may } from "../../../house/boot";
import { useAnswer } from "../../../house/queries";
import { toast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { toastWithUndo } from "../../../house/undo";
import { recordPage as words } from "../../../messages/en/record_page";
import { say } from "../../../messages/messages";
import { Avatar } from "../../../parts/avatar";
import { Button, LinkButton } from "../../../parts/button";
import { Failure, Notice } from "../../../parts/failure";
import { Icon } from "../../../parts/icon";
import { later } from "../../../parts/later";
import { Menu } from "../../../parts/menu";
import { ErrorBox } from "../../../parts/states";
import { Tabs } from "../../../parts/tabs";
import { titleOf } from "../values/properties";
import { LinksByTab } from "../values/value_text";
import { Facts } from "./facts";
import { Neighbours } from "./neighbours";
import { NoteField } from "./note";
import { Properties } from "./properties";
import { recordQuestion } from "./question";
import type { ObjectDetails, RecordDetails } from "./shapes";
import { Suggestions } from "./suggestions";
import { Timeline } from "./timeline";
import "../../../styles/record_page.css";

export default function RecordScreen({ params: { object: slug = "", record: id = "" } }: ScreenProps) {
  const object = useAnswer("object.get", { objectType: slug });
  const record = useAnswer("record.get", recordQuestion({ objectType: slug, id }));
  const its = record.isOld ? undefined : record.answer;
  const { problem } = record;
  useEffect(() => {
    // One that was merged leads to the one that stayed.
    if (its && its.id !== id) void go(to(`/app/records/${slug}/${its.id}`), { replace: true });
  }, [its?.id, id]);
  if (problem?.code === "not_found") return <Gone slug={slug} id={id} />;
  if (problem && !its) return <Failure page problem={problem} again={() => void record.query.again()} />;
  if (object.problem && !object.answer) return <Failure page problem={object.problem} again={() => void object.query.again()} />;
  if (!its || object.answer?.slug !== slug) return <PageSkeleton />;
  return <Shown key={its.id} record={its} object={object.answer} />;
}

function Gone({ slug, id }: { slug: string; id: string }) {
  const object = useAnswer("object.list", {}).answer?.objects.find((one) => one.slug === slug);
  const act = useAct(() => write("record.restore", { objectType: slug, id }));
  const action = (
    <span class="row">
      {may("records.write") && (
        <Button busy={act.busy} onClick={() => void act.run()}>
          {words.bringBack}
        </Button>
      )}
      {object && <LinkButton href={to(`/app/records/${slug}`)}>{say(words.toList, { object: object.labelPlural })}</LinkButton>}
    </span>
  );
  return (
    <>
      <Notice page icon="search" title={words.gone} body={words.goneBody} action={action} />
      <ErrorBox problem={act.problem} />
    </>
  );
}

const Related = later(async () => (await import("./related")).Related);
const Files = later(async () => (await import("./files")).Files);
const MergeDialog = later(async () => (await import("./merge_dialog")).MergeDialog);

interface ShownProps {
  record: RecordDetails;
  object: ObjectDetails;
}

type Part = "" | "details" | "related" | "files";
const PARTS: readonly Part[] = ["", "details", "related", "files"];

function Shown({ record, object }: ShownProps) {
  const name = titleOf(record, object.properties);
  const asked = parameter("tab");
  const part = PARTS.find((one) => one === asked) ?? "";
  // A part that is behind a tab on a phone; beside the others it is in sight anyway.
  const show = (wanted: Part) => {
    if (part !== wanted) setParameters({ tab: wanted || null }, { replace: true });
  };
  return (
    <Page
      title={name}
      crumbs={[{ label: object.labelPlural, href: to(`/app/records/${object.slug}`) }]}
      mark={<Avatar name={name} of={object.slug === "contact" ? "person" : "organization"} />}
      actions={<Actions record={record} object={object} name={name} />}
      wide
    >
      <LinksByTab.Provider value={true}>
        <Facts record={record} object={object} />
      </LinksByTab.Provider>
      <Suggestions record={record} object={object} />
      <div class="record" data-part={part || "timeline"}>
        <div class="record-tabs">
          <Tabs label={words.tabs.label} tabs={PARTS.map((value) => ({ value, label: words.tabs[value || "timeline"] }))} />
        </div>
        <div class="record-main">
          {may("records.write") && <NoteField recordId={record.id} show={() => show("")} />}
          <Timeline record={record} object={object} />
        </div>
        <div class="record-side">
          <LinksByTab.Provider value={true}>
            <Properties record={record} object={object} show={() => show("details")} />
          </LinksByTab.Provider>
          <Related isWanted record={record} object={object} />
          <Files isWanted recordId={record.id} />
        </div>
      </div>
      <MergeDialog
        isWanted={parameter("merge") !== null && may("records.write")}
        record={record}
        name={name}
        onClose={() => setParameters({ merge: null }, { replace: true })}
      />
    </Page>
  );
}

function Actions({ record, object, name }: ShownProps & { name: string }) {
  const { id, version } = record;
  const copy = async () => {
    await navigator.clipboard.writeText(new URL(to(`/app/records/${object.slug}/${id}`), location.href).href);
    toast(words.linkCopied);
  };
  const remove = async () => {
    const result = await write("record.delete", { id, ifVersion: version });
    if (!result.ok) return toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
    toastWithUndo(say(words.deleted, { name }), async () => {
      const back = await write("record.restore", { id });
      if (back.ok) void go(to(`/app/records/${object.slug}/${id}`));
      return back;
    });
    void go(to(`/app/records/${object.slug}`), { saved: true });
  };
  const items = [
    [{ label: words.copyLink, icon: "link" as const, run: () => void copy() }],
    ...(may("records.write") ? [[{ label: words.merge, icon: "git-merge" as const, run: () => setParameters({ merge: "1" }) }]] : []),
    ...(may("records.write") ? [[{ label: words.delete, icon: "trash-2" as const, danger: true, run: () => void remove() }]] : []),
  ];
  return (
    <>
      <Neighbours objectType={object.slug} id={id} />
      <Menu label={words.more} items={items} class="button button-plain button-icon">
        <Icon name="ellipsis" />
      </Menu>
    </>
  );
}
