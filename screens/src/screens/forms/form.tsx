/** One form: what came in, its settings, and how to put it on a site. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { go, parameter, to } from "../../house/address";
import { useKeys } from "../../house/keys";
import { queryOf, useAnswer } from "../../house/queries";
import { whenBack } from "../../house/returning";
import { write } from "../../house/tools";
import { forms as words } from "../../messages/en/forms";
import { messages } from "../../messages/messages";
import { Failure } from "../../parts/failure";
import { PublicThingActions } from "../../parts/public_thing";
import { Skeleton } from "../../parts/states";
import { Tabs } from "../../parts/tabs";
import type { FormDetails } from "./form_details";
import { FormSettings } from "./form_settings";
import { Overview } from "./overview";
import { SubmissionPanel } from "./submission_panel";

export default function FormScreen({ params }: ScreenProps) {
  const { form: id = "", submission } = params;
  const { answer: form, problem, query } = useAnswer("form.get", { id });
  const tab = parameter("tab") ?? "";
  useKeys([{ key: "e", label: messages.keys.edit, run: () => void go(to(`/app/forms/${id}`, { tab: "settings" })) }]);
  if (problem && !form) return <Failure page problem={problem} again={() => void query.again()} />;
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
      panel={
        submission && (
          <SubmissionPanel
            id={submission}
            formName={() => form.name}
            onClose={() => show(null)}
            showNext={showNextHeld}
            onMoved={() => show(null)}
          />
        )
      }
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
      {tab === "settings" ? (
        <FormSettings key={id} form={form} />
      ) : tab === "install" ? (
        <InstallTab form={form} />
      ) : (
        <Overview form={form} openId={submission ?? null} />
      )}
    </Page>
  );
}

/** Loaded when it is asked for: it has the words of a form in several languages. */
function InstallTab({ form }: { form: FormDetails }) {
  const [Install, setInstall] = useState<ComponentType<{ form: FormDetails }> | null>(null);
  useEffect(() => {
    if (Install) return undefined;
    const load = () => void import("./install").then((module) => setInstall(() => module.Install)).catch(() => undefined);
    load();
    return whenBack(load);
  }, [Install]);
  return Install ? <Install form={form} /> : <Skeleton />;
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
