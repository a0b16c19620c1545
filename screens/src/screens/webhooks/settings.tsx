/** What a webhook is sent, where and how fast; and its secret. */
import { useAct } from "../../house/acts";
import { useDraft } from "../../house/drafts";
import { formatList } from "../../house/formats";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { webhooks as words } from "../../messages/en/webhooks";
import { messages } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Clashes } from "../../parts/clashes";
import { TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { EVENT_TYPES, Events } from "./events";
import { ObjectTypes } from "./object_types";
import { Secret } from "./secret";
import type { Webhook } from "./state";

type Draft = {
  url: string;
  name: string;
  /** Lists, parted by blanks: neither types nor slugs have one. */
  events: string;
  objectTypes: string;
  maxPerSecond: string;
};

const LABELS: Record<string, string> = {
  url: words.url,
  name: words.name,
  events: words.events,
  objectTypes: words.objectTypes,
  maxPerSecond: words.maxPerSecond,
};

const listOf = (text: string): string[] => text.split(" ").filter(Boolean);

function storedOf({ url, name, events, objectTypes, maxPerSecond }: Webhook): Draft {
  return {
    url,
    name: name ?? "",
    events: events.join(" "),
    objectTypes: objectTypes.join(" "),
    maxPerSecond: maxPerSecond === null ? "" : String(maxPerSecond),
  };
}

export function Settings({ webhook }: { webhook: Webhook }) {
  const work = useDraft<Draft>(webhook.version, storedOf(webhook));
  const { draft, set, dirty, clashes } = work;
  const events = EVENT_TYPES.filter((type) => listOf(draft.events).includes(type));
  const isOfRecords = events.some((type) => type.startsWith("record."));
  const act = useAct(async () => {
    const changes = work.changes();
    const result = await write("webhook.update", {
      id: webhook.id,
      ...(changes.url !== undefined && { url: changes.url.trim() }),
      ...(changes.name !== undefined && { name: changes.name.trim() || null }),
      ...(changes.events !== undefined && { events }),
      ...((changes.objectTypes !== undefined || changes.events !== undefined) && {
        objectTypes: isOfRecords ? listOf(draft.objectTypes) : [],
      }),
      ...(changes.maxPerSecond !== undefined && { maxPerSecond: draft.maxPerSecond ? Number(draft.maxPerSecond) : null }),
      ifVersion: work.version,
    });
    if (result.ok) {
      work.take(result.answer.version, storedOf(result.answer));
      toast(words.saved);
    }
    return result;
  });
  const textOf = (key: string, value: string | boolean) =>
    key === "events" || key === "objectTypes" ? formatList(listOf(String(value))) : String(value);
  return (
    <>
      <Form act={act} dirty={dirty} label={words.tabs.settings}>
        <Clashes of={work} labelOf={(key) => LABELS[key] ?? key} textOf={textOf} />
        <TextField
          label={words.url}
          hint={words.urlHint}
          pointer="/url"
          type="url"
          value={draft.url}
          onValue={(url) => set({ url })}
          mono
        />
        <TextField
          label={words.name}
          hint={words.nameHint}
          pointer="/name"
          value={draft.name}
          onValue={(name) => set({ name })}
          max={200}
          optional
        />
        <Events chosen={events} onChosen={(chosen) => set({ events: chosen.join(" ") })} />
        {isOfRecords && <ObjectTypes chosen={listOf(draft.objectTypes)} onChosen={(chosen) => set({ objectTypes: chosen.join(" ") })} />}
        <TextField
          label={words.maxPerSecond}
          hint={words.maxPerSecondHint}
          pointer="/maxPerSecond"
          type="number"
          value={draft.maxPerSecond}
          onValue={(maxPerSecond) => set({ maxPerSecond })}
          optional
        />
        <div class={dirty ? "form-actions form-save" : "form-actions"}>
          <Button type="submit" look="solid" busy={act.busy} disabled={!dirty || clashes.length > 0}>
            {messages.common.save}
          </Button>
          {dirty && <Button onClick={() => work.take(work.version, storedOf(webhook))}>{messages.common.cancel}</Button>}
        </div>
      </Form>
      <Secret webhook={webhook} />
    </>
  );
}
