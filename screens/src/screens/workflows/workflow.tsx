/** One workflow: its steps in the editor, its runs, its versions; or one of its runs. */
import { useEffect, useState } from "preact/hooks";
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { useAct } from "../../house/acts";
import { go, parameter, setParameters, to } from "../../house/address";
import { queryOf, useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { workflows as words } from "../../messages/en/workflows";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Failure } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import { later } from "../../parts/later";
import { Menu } from "../../parts/menu";
import { ErrorBox, Skeleton } from "../../parts/states";
import { Tabs } from "../../parts/tabs";
import { Badge } from "../../parts/texts";
import type { EditorProps } from "./editor/editor";
import { documentIn } from "./workflow_document";

const Editor = later<EditorProps>(async () => (await import("./editor/editor")).Editor);
const Runs = later(async () => (await import("./runs")).Runs);
const Versions = later(async () => (await import("./versions")).Versions);
const RunNow = later(async () => (await import("./run_now")).RunNow, { ahead: false });
const Run = later(async () => (await import("./run")).Run);

type Details = Answer<"workflow.get">;

export default function WorkflowScreen({ params: { workflow: id = "", run } }: ScreenProps) {
  const { answer: workflow, problem, query } = useAnswer("workflow.get", { id });
  if (run) return <Run isWanted meanwhile={<PageSkeleton />} key={run} id={run} workflow={workflow ?? null} />;
  if (problem && (!workflow || problem.code === "not_found")) return <Failure page problem={problem} again={() => void query.again()} />;
  if (!workflow || workflow.id !== id) return <PageSkeleton />;
  const tab = parameter("tab");
  return (
    <Page
      title={workflow.name}
      crumbs={[{ label: words.title, href: to("/app/workflows") }]}
      actions={<Actions workflow={workflow} />}
      wide
    >
      <Tabs
        label={words.tabs.label}
        tabs={[
          { value: "", label: words.tabs.edit },
          { value: "runs", label: words.tabs.runs },
          { value: "versions", label: words.tabs.versions },
        ]}
      />
      {tab === "runs" ? (
        <Runs isWanted meanwhile={<Skeleton head="rows" />} workflow={workflow} />
      ) : tab === "versions" ? (
        <Versions isWanted meanwhile={<Skeleton head="rows" />} workflow={workflow} />
      ) : (
        <Steps key={`${id} ${parameter("from") ?? ""}`} workflow={workflow} again={() => void query.again()} />
      )}
    </Page>
  );
}

/** The editor; with `from` in the address it begins with that version. */
function Steps({ workflow, again }: { workflow: Details; again: () => void }) {
  const from = Number(parameter("from")) || null;
  const stored = { id: workflow.id, version: workflow.version, enabled: workflow.enabled, document: documentIn(workflow) };
  if (from === null) return <Editor isWanted meanwhile={<Skeleton lines={8} />} stored={stored} again={again} />;
  return <FromVersion stored={stored} from={from} again={again} />;
}

function FromVersion({ stored, from, again }: { stored: EditorProps["stored"]; from: number; again: () => void }) {
  const { answer, problem, query } = useAnswer("workflow.get", { id: stored?.id ?? "", version: from });
  useEffect(() => {
    if (answer) toast(say(words.restored, { n: from }));
  }, [answer === undefined]);
  if (problem) return <Failure problem={problem} again={() => void query.again()} />;
  if (!answer) return <Skeleton lines={8} />;
  return <Editor isWanted meanwhile={<Skeleton lines={8} />} stored={stored} begin={documentIn(answer)} again={again} />;
}

function Actions({ workflow: { id, name, enabled, trigger } }: { workflow: Details }) {
  const [isRunning, setIsRunning] = useState(false);
  const act = useAct(async (on: boolean) => {
    const back = queryOf("workflow.get", { id }).expect((before) => ({ ...before, enabled: on }));
    const result = await (on ? write("workflow.enable", { id }) : write("workflow.disable", { id }));
    if (result.ok) toast(say(on ? words.turnedOn : words.turnedOff, { name }), { undo: () => void act.run(!on) });
    else back();
    return result;
  });
  const remove = async () => {
    const confirmed = await ask({
      title: say(words.removeTitle, { name }),
      body: words.removeBody,
      confirm: words.remove,
      danger: true,
      name,
      act: () => write("workflow.delete", { id }),
    });
    if (!confirmed) return;
    toast(say(words.removed, { name }));
    void go(to("/app/workflows"), { replace: true, saved: true });
  };
  return (
    <>
      <ErrorBox problem={act.problem} />
      <Badge kind={enabled ? "good" : "plain"}>{enabled ? words.on : words.off}</Badge>
      {enabled && trigger.type === "manual" && (
        <Button look="solid" icon="play" onClick={() => setIsRunning(true)}>
          {words.runByHand}
        </Button>
      )}
      <RunNow isWanted={isRunning} id={id} onClose={() => setIsRunning(false)} />
      <Button busy={act.busy} icon={enabled ? "pause" : "play"} onClick={() => void act.run(!enabled)}>
        {enabled ? words.turnOff : words.turnOn}
      </Button>
      <Menu
        label={words.actions}
        items={[
          [{ label: words.versions, icon: "history", run: () => setParameters({ tab: "versions" }) }],
          [{ label: words.remove, icon: "trash-2", danger: true, run: () => void remove() }],
        ]}
      >
        <Icon name="ellipsis" />
      </Menu>
    </>
  );
}
