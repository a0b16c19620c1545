/** What starts a workflow: chosen from what the service lists. */
import { organization } from "../../../house/boot";
import { workflows as words } from "../../../messages/en/workflows";
import { Filters } from "../../../parts/conditions";
import { SelectField, SwitchField, TextField } from "../../../parts/field";
import type { Trigger, TriggerType } from "../model";
import { cronOf, type Often, type Schedule, scheduleOf } from "../schedule";
import { objectTypeOf, type Value, valuesAt, valuesOf } from "../scope";
import { timeText } from "../trigger_text";
import { useEditor } from "./context";
import { DurationField, PathField } from "./value_fields";
import "../../../styles/workflows.css";

type Of<T extends TriggerType> = Extract<Trigger, { type: T }>;

export function TriggerFields() {
  const { model, choices, known, change } = useEditor();
  const { trigger } = model.facts;
  const set = (next: Trigger, what = "") => change((before) => ({ ...before, facts: { ...before.facts, trigger: next } }), what);
  const labels = words.triggers as Readonly<Record<string, string>>;
  const start = (type: string): Trigger => {
    const example = known.vocabulary.triggers.find((one) => one.type === type)?.trigger ?? { type: "manual" };
    if (example.type === "record.updated") return { type: "record.updated", objectType: objectTypeOf(trigger) ?? example.objectType };
    if (example.type === "record.created") return { ...example, objectType: objectTypeOf(trigger) ?? example.objectType };
    if (example.type === "schedule") return { ...example, timeZone: organization?.timeZone ?? "UTC" };
    return example;
  };
  const objects = [...known.names].map(([value, label]) => ({ value, label }));
  return (
    <div class="trigger-fields">
      <div class="trigger-row">
        <SelectField
          label={words.triggerLabel}
          pointer="/trigger/type"
          value={trigger.type}
          choices={known.vocabulary.triggers.map(({ type }) => ({ value: type, label: labels[type] ?? type }))}
          onValue={(type) => set(start(type))}
        />
        {trigger.type === "submitted a form" && (
          <SelectField
            label={words.form}
            pointer="/trigger/formId"
            value={trigger.formId ?? ""}
            choices={named(choices.forms, trigger.formId, words.anyForm)}
            onValue={(formId) => set(without(trigger, "formId", formId))}
          />
        )}
        {(trigger.type === "record.created" || trigger.type === "record.updated") && (
          <SelectField
            label={words.object}
            pointer="/trigger/objectType"
            value={trigger.objectType}
            choices={
              objects.some(({ value }) => value === trigger.objectType)
                ? objects
                : [{ value: trigger.objectType, label: trigger.objectType }, ...objects]
            }
            onValue={(objectType) =>
              set({ ...(trigger.type === "record.created" ? trigger : without(trigger, "properties", "")), objectType } as Trigger)
            }
          />
        )}
        {trigger.type === "message.received" && (
          <SelectField
            label={words.connection}
            pointer="/trigger/connectionId"
            value={trigger.connectionId ?? ""}
            choices={named(choices.connections, trigger.connectionId, words.anyConnection)}
            onValue={(connectionId) => set(without(trigger, "connectionId", connectionId))}
          />
        )}
      </div>
      {trigger.type === "record.updated" && <Watched trigger={trigger} onTrigger={set} />}
      {trigger.type === "schedule" && <ScheduleFields trigger={trigger} onTrigger={set} />}
      {"debounce" in trigger && trigger.debounce && <Burst trigger={trigger} onTrigger={set} />}
    </div>
  );
}

/** *trigger* with *value* under *name*, or without that member. */
function without<T extends Trigger>(trigger: T, name: string, value: string): T {
  const { [name]: _, ...rest } = trigger as Record<string, unknown>;
  return { ...rest, ...(value && { [name]: value }) } as T; // A member that may be missing.
}

function named(list: readonly { id: string; name: string }[], chosen: string | null | undefined, any: string) {
  const gone = chosen && !list.some(({ id }) => id === chosen) ? [{ value: chosen, label: chosen }] : [];
  return [{ value: "", label: any }, ...gone, ...list.map(({ id, name }) => ({ value: id, label: name }))];
}

/** The properties of which one has to have changed. */
function Watched({ trigger, onTrigger }: { trigger: Of<"record.updated">; onTrigger: (trigger: Trigger) => void }) {
  const { known } = useEditor();
  const watched = trigger.properties ?? [];
  const properties = known.objects.get(trigger.objectType)?.properties ?? [];
  const set = (slugs: string[]) => {
    const { properties: _, ...rest } = trigger;
    onTrigger(slugs.length > 0 ? { ...rest, properties: slugs } : rest);
  };
  return (
    <fieldset class="field">
      <legend>{words.watched}</legend>
      <div class="watched">
        {properties.map(({ slug, label }) => (
          <label key={slug}>
            <input
              type="checkbox"
              checked={watched.includes(slug)}
              onChange={(event) => set(event.currentTarget.checked ? [...watched, slug] : watched.filter((one) => one !== slug))}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      {watched.length === 0 && <p class="field-hint">{words.anyProperty}</p>}
    </fieldset>
  );
}

function ScheduleFields({ trigger, onTrigger }: { trigger: Of<"schedule">; onTrigger: (trigger: Trigger, what?: string) => void }) {
  const schedule = scheduleOf(trigger.cron);
  const set = (next: Partial<Schedule>) => onTrigger({ ...trigger, cron: cronOf({ ...schedule, ...next }) }, "schedule");
  const { often, hour, minute, day, dayOfMonth } = schedule;
  return (
    <div class="trigger-row">
      <SelectField
        label={words.often}
        value={often}
        pointer={often === "cron" ? "" : "/trigger/cron"}
        choices={(Object.keys(words.oftens) as Often[]).map((value) => ({ value, label: words.oftens[value] }))}
        onValue={(next) => set({ often: next, ...(next === "cron" && { cron: `${trigger.cron} ` }) })}
      />
      {often === "week" && (
        <SelectField
          label={words.day}
          value={String(day)}
          choices={words.days.map((label, value) => ({ value: String(value), label }))}
          onValue={(value) => set({ day: Number(value) })}
        />
      )}
      {often === "month" && (
        <TextField
          label={words.dayOfMonth}
          type="number"
          value={String(dayOfMonth)}
          onValue={(value) => set({ dayOfMonth: within(value, 1, 31) })}
        />
      )}
      {often === "hour" && (
        <TextField label={words.minute} type="number" value={String(minute)} onValue={(value) => set({ minute: within(value, 0, 59) })} />
      )}
      {["day", "weekdays", "week", "month"].includes(often) && (
        <div class="field">
          <label for="schedule-time">{words.time}</label>
          <input
            id="schedule-time"
            class="control"
            type={"time" as "text"}
            value={timeText(hour, minute)}
            onInput={(event) => {
              const [h = "", m = ""] = event.currentTarget.value.split(":");
              if (h && m) set({ hour: Number(h), minute: Number(m) });
            }}
          />
        </div>
      )}
      {often === "cron" && (
        <TextField
          label={words.cron}
          mono
          hint={words.cronHint}
          pointer="/trigger/cron"
          value={trigger.cron}
          onValue={(cron) => onTrigger({ ...trigger, cron }, "cron")}
        />
      )}
      <TextField
        label={words.timeZone}
        pointer="/trigger/timeZone"
        value={trigger.timeZone ?? "UTC"}
        onValue={(timeZone) => onTrigger({ ...trigger, timeZone }, "zone")}
      />
    </div>
  );
}

const within = (text: string, least: number, most: number) => Math.min(most, Math.max(least, Math.round(Number(text)) || least));

type WithBurst = Extract<Trigger, { debounce?: unknown }>;

function Burst({ trigger, onTrigger }: { trigger: WithBurst; onTrigger: (trigger: Trigger, what?: string) => void }) {
  const { known } = useEditor();
  const { debounce } = trigger;
  if (!debounce) return null;
  const set = (next: Partial<typeof debounce>) => onTrigger({ ...trigger, debounce: { ...debounce, ...next } }, "burst");
  return (
    <div class="burst-fields">
      <PathField
        label={words.burstBy}
        pointer="/trigger/debounce/by"
        value={debounce.by}
        none={words.choose}
        values={valuesOf(trigger, known)}
        onValue={(by) => set({ by })}
      />
      <DurationField
        label={words.burstSeconds}
        pointer="/trigger/debounce/seconds"
        seconds={debounce.seconds}
        onSeconds={(seconds) => set({ seconds })}
      />
      <DurationField
        label={words.burstAtMost}
        pointer="/trigger/debounce/atMost"
        seconds={debounce.atMost}
        onSeconds={(atMost) => set({ atMost })}
      />
    </div>
  );
}

/** Whether events of a burst start one run. */
export function BurstSwitch() {
  const { model, known, change } = useEditor();
  const { trigger } = model.facts;
  const isEvent = known.vocabulary.triggers.some(({ type, eventType }) => type === trigger.type && eventType !== null);
  if (!isEvent || trigger.type === "schedule" || trigger.type === "manual") return null;
  const set = (on: boolean) => {
    const { debounce: _, ...rest } = trigger;
    const next = on ? { ...rest, debounce: { by: "record.id", seconds: 60, atMost: 600 } } : rest;
    change((before) => ({ ...before, facts: { ...before.facts, trigger: next as Trigger } }));
  };
  return <SwitchField label={words.burst} hint={words.burstHint} on={Boolean(trigger.debounce)} onValue={set} />;
}

/** A value as filters have it. */
export const asProperty = ({ path, label, group, type, options, personal }: Value) => ({
  slug: path,
  label: group ? `${group}: ${label}` : label,
  type: type ?? ("text" as const),
  options: [...options],
  personal,
});

export function TriggerConditions() {
  const { model, known, change } = useEditor();
  const values = valuesAt({ ...model, steps: [] }, null, known);
  const filters = model.facts.conditions ?? [];
  return (
    <div class="trigger-conditions">
      {filters.length === 0 && <p class="soft">{words.always}</p>}
      <Filters
        label={words.conditions}
        at="/conditions"
        filters={filters}
        properties={conditionProperties(values)}
        onFilters={(conditions, what) =>
          change((before) => ({ ...before, facts: { ...before.facts, conditions } }), what && `conditions ${what}`)
        }
      />
    </div>
  );
}

/** Values as conditions name them: properties of the trigger's record by their slugs. */
export const conditionProperties = (values: readonly Value[]) =>
  values.map(asProperty).map((property) => ({ ...property, slug: bareSlug(property.slug) }));

const bareSlug = (path: string) => /^record\.([a-z][a-z0-9_]*)$/.exec(path)?.[1] ?? path;
