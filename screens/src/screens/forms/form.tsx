/** One form: what came in, its settings, and how to put it on a site. */
import { go, parameter, to } from "../../house/address";
import { useKeys } from "../../house/keys";
import { queryOf, useAnswer } from "../../house/queries";
import { type Answer, write } from "../../house/tools";
import { forms as words } from "../../messages/en/forms";
import { messages } from "../../messages/messages";
import { Failure } from "../../parts/failure";
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../places";
import { PublicThingActions } from "../../parts/public_thing";
import { Tabs } from "../../parts/tabs";
import { FormSettings } from "./form_settings";
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

function FormActions({ form }: { form: FormDetails }) {
  const { id } = form;
  return (
    <PublicThingActions
      thing={form}
      words={words}
      pause={() => write("form.pause", { id })}
      resume={() => write("form.resume", { id })}
      remove={() => write("form.remove", { id })}
      expect={(status) => queryOf("form.get", { id }).expect((before) => ({ ...before, status }))}
      list="/app/forms"
    />
  );
}
