/** One form: what came in, its settings, and how to put it on a site. */
import { go, parameter, to } from "../../house/address";
import { useAct } from "../../house/acts";
import { useKeys } from "../../house/keys";
import { queryOf, useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { forms as words } from "../../messages/en/forms";
import { messages, say } from "../../messages/messages";
import { Failure } from "../../parts/failure";
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../places";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { Menu } from "../../parts/menu";
import { ErrorBox } from "../../parts/states";
import { Tabs } from "../../parts/tabs";
import { FormSettings } from "./form_settings";
import { StatusBadge } from "./forms";
import { Install } from "./install";
import { Overview } from "./overview";
import { SubmissionPanel } from "./submission_panel";

export type FormDetails = Answer<"form.get">;

export default function FormScreen({ params }: ScreenProps) {
  const { form: id = "", submission } = params;
  const { answer: form, problem, query } = useAnswer("form.get", { id });
  const tab = parameter("tab") ?? "";
  useKeys([{ key: "e", label: messages.keys.edit, run: () => void go(to(`/app/forms/${id}`, { tab: "settings" })) }]);
  if (problem && !form) return <Failure problem={problem} again={() => void query.again()} />;
  if (!form || form.id !== id) return <PageSkeleton />;
  const here = `/app/forms/${id}`;
  const show = (open: string | null) => void go(to(open ? `${here}/${open}` : here));
  const showNextHeld = (attached: string) => {
    const held = form.recentSubmissions.find((line) => line.state === "Held" && line.id !== attached);
    if (held) void go(to(`${here}/${held.id}`), { replace: true });
    return held?.id ?? null;
  };
  return (
    <Page
      title={form.name}
      crumbs={[{ label: words.title, href: to("/app/forms") }]}
      actions={<FormActions form={form} />}
      wide
      panel={submission && <SubmissionPanel id={submission} formName={() => form.name} onClose={() => show(null)} showNext={showNextHeld} />}
    >
      <Tabs
        label={words.tabs.label}
        at={here}
        tabs={[
          { value: "", label: words.tabs.overview },
          { value: "settings", label: words.tabs.settings },
          { value: "install", label: words.tabs.install },
        ]}
      />
      {tab === "settings" ? <FormSettings key={id} form={form} /> : tab === "install" ? <Install form={form} /> : <Overview form={form} openId={submission ?? null} />}
    </Page>
  );
}

function FormActions({ form: { id, name, status } }: { form: FormDetails }) {
  const act = useAct(async (pause: boolean) => {
    const takeBack = queryOf("form.get", { id }).expect((form) => ({ ...form, status: pause ? "paused" : "active" }));
    const result = await write(pause ? "form.pause" : "form.resume", { id });
    if (!result.ok) takeBack();
    if (result.ok) toast(say(pause ? words.paused : words.resumed, { name }), { undo: () => void act.run(!pause) });
    return result;
  });
  const remove = async () => {
    const removing = () => write("form.remove", { id });
    const [title, body] = [say(words.removeTitle, { name }), words.removeBody];
    if (await ask({ title, body, confirm: words.remove, danger: true, name, act: removing })) {
      toast(say(words.removed, { name }));
      void go(to("/app/forms"), { replace: true });
    }
  };
  return (
    <>
      <ErrorBox problem={act.problem} />
      <StatusBadge status={status} />
      <Button busy={act.busy} icon={status === "paused" ? "play" : "pause"} onClick={() => void act.run(status !== "paused")}>
        {status === "paused" ? words.resume : words.pause}
      </Button>
      <Menu label={words.actions} items={[[{ label: words.remove, icon: "trash-2", danger: true, run: () => void remove() }]]}>
        <Icon name="ellipsis" />
      </Menu>
    </>
  );
}
