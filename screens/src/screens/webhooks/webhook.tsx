/** One webhook: what was sent to it and what came of that, and its settings. */
import { useState } from "preact/hooks";
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { go, parameter, to } from "../../house/address";
import { useKeys } from "../../house/keys";
import { useAnswer } from "../../house/queries";
import { webhooks as words } from "../../messages/en/webhooks";
import { messages } from "../../messages/messages";
import { Failure } from "../../parts/failure";
import { later } from "../../parts/later";
import { Skeleton } from "../../parts/states";
import { Tabs } from "../../parts/tabs";
import { Actions } from "./actions";
import { Deliveries } from "./deliveries";
import { DeliveryPanel } from "./delivery_panel";
import { nameOf, Why } from "./state";
import "../../styles/webhooks.css";

const Settings = later(async () => (await import("./settings")).Settings);

export default function WebhookScreen({ params: { webhook: id = "" } }: ScreenProps) {
  const [deleting, setDeleting] = useState<string | null>(null);
  // What is being deleted is not asked for again.
  return deleting === id ? <PageSkeleton /> : <Shown id={id} onDeleting={(isDeleting) => setDeleting(isDeleting ? id : null)} />;
}

function Shown({ id, onDeleting }: { id: string; onDeleting: (isDeleting: boolean) => void }) {
  const { answer: webhook, problem, query } = useAnswer("webhook.get", { id });
  const here = `/app/settings/webhooks/${id}`;
  const isSettings = parameter("tab") === "settings";
  const open = isSettings ? null : parameter("open");
  const filter = { state: parameter("state"), event: parameter("event") };
  const show = (delivery: string) => void go(to(here, { open: delivery }));
  useKeys([{ key: "e", label: messages.keys.edit, run: () => void go(to(here, { tab: "settings" })) }]);
  if (problem && !webhook) return <Failure page problem={problem} again={() => void query.again()} />;
  if (!webhook || webhook.id !== id) return <PageSkeleton />;
  return (
    <Page
      title={nameOf(webhook)}
      crumbs={[messages.nav.settings, messages.sections.developers, { label: words.title, href: to("/app/settings/webhooks") }]}
      about={<code class="break">{webhook.url}</code>}
      actions={<Actions webhook={webhook} onDeleting={onDeleting} onTested={show} />}
      wide
      panel={open && <DeliveryPanel key={open} webhook={webhook} id={open} onClose={() => void go(to(here, filter))} onTested={show} />}
    >
      <Why of={webhook} />
      <Tabs
        label={words.tabs.label}
        at={here}
        tabs={[
          { value: "", label: words.tabs.deliveries },
          { value: "settings", label: words.tabs.settings },
        ]}
      />
      {isSettings ? (
        <Settings isWanted key={id} webhook={webhook} meanwhile={<Skeleton />} />
      ) : (
        <Deliveries webhook={webhook} openId={open} here={here} />
      )}
    </Page>
  );
}
