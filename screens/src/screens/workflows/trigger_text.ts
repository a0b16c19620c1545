/** Triggers and times as people say them. */
import { formatList } from "../../house/formats";
import { workflows as words } from "../../messages/en/workflows";
import { say } from "../../messages/messages";
import type { Trigger } from "./model";
import { scheduleOf, UNITS, unitOf } from "./schedule";

type Named = readonly { id: string; name: string }[];

interface Names {
  forms: Named;
  connections: Named;
  objectLabel: (slug: string) => string;
}

/** What starts a workflow, as it follows “When”. */
export function triggerText(trigger: Trigger, { forms, connections, objectLabel }: Names, propertyLabel = (slug: string) => slug): string {
  const said = words.sentences;
  const nameIn = (list: Named, id: string) => list.find((one) => one.id === id)?.name ?? id;
  switch (trigger.type) {
    case "submitted a form":
      return trigger.formId ? say(said.form, { form: nameIn(forms, trigger.formId) }) : said.anyForm;
    case "record.created":
      return say(said.created, { object: objectLabel(trigger.objectType) });
    case "record.updated": {
      const object = objectLabel(trigger.objectType);
      const properties = formatList((trigger.properties ?? []).map(propertyLabel));
      return properties ? say(said.updatedProperties, { object, properties }) : say(said.updated, { object });
    }
    case "message.received":
      return trigger.connectionId ? say(said.message, { connection: nameIn(connections, trigger.connectionId) }) : said.anyMessage;
    case "schedule":
      return say(said.schedule, { when: scheduleText(trigger.cron) });
    case "manual":
      return said.manual;
  }
}

export const timeText = (hour: number, minute: number) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;

function scheduleText(text: string): string {
  const { often, minute, hour, day, dayOfMonth, cron } = scheduleOf(text);
  const time = timeText(hour, minute);
  const said = words.schedules;
  if (often === "hour") return say(said.hour, { minute });
  if (often === "week") return say(said.week, { day: words.days[day] ?? "", time });
  if (often === "month") return say(said.month, { n: dayOfMonth, time });
  if (often === "cron") return say(said.cron, { cron });
  return say(said[often], { time });
}

export function durationText(seconds: number): string {
  const unit = unitOf(seconds);
  return say(words.durations[unit], { n: seconds / UNITS[unit] });
}
