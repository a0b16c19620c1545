/** Settings › Organization: its name, its formats, its switches, its plan. */

import { Page, PageSkeleton } from "../../frame/page";
import { useAct } from "../../house/acts";
import { leaveFor } from "../../house/address";
import { may } from "../../house/boot";
import { useDraft } from "../../house/drafts";
import { formatDate } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { toastOnNextPage } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { organization as words } from "../../messages/en/organization";
import { permissions as permissionNames } from "../../messages/en/permissions";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Clashes } from "../../parts/clashes";
import { Failure } from "../../parts/failure";
import { SelectField, SwitchField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { Badge, DateOf } from "../../parts/texts";
import { COUNTRIES, CURRENCIES, choicesOf, LOCALES, zoneChoices } from "./choices";
import { Sample } from "./sample";

type Facts = Answer<"organization.get">;

export default function OrganizationScreen() {
  const { answer, problem, query } = useAnswer("organization.get", {});
  if (problem && !answer) return <Failure page problem={problem} again={() => void query.again()} />;
  if (!answer) return <PageSkeleton />;
  return (
    <Page title={words.title} crumbs={[messages.nav.settings]} about={words.about}>
      <div class="stack-wide">
        <Plan of={answer} />
        <Facts of={answer} />
      </div>
    </Page>
  );
}

const DAY_MS = 86_400_000;

function Plan({ of: { plan, trialEndsAt, createdAt } }: { of: Facts }) {
  const left = trialEndsAt === null ? null : Math.ceil((new Date(trialEndsAt).getTime() - Date.now()) / DAY_MS);
  return (
    <section class="plan" aria-label={words.plan}>
      <dl class="facts">
        <dt>{words.plan}</dt>
        <dd>
          <span class="with-badge">
            <strong>{words.plans[plan]}</strong>
            {left !== null && left > 0 && <Badge kind={left <= 3 ? "warn" : "accent"}>{say(words.trial, { n: left })}</Badge>}
          </span>
          {trialEndsAt !== null && left !== null && (
            <p class="field-hint">
              {left > 0
                ? say(words.trialBody, { date: formatDate(trialEndsAt), plan: words.plans[plan] })
                : say(words.trialOver, { plan: words.plans[plan] })}
            </p>
          )}
        </dd>
        <dt>{words.since}</dt>
        <dd>
          <DateOf at={createdAt} />
        </dd>
      </dl>
    </section>
  );
}

type Stored = Pick<Facts, "name" | "country" | "locale" | "timeZone" | "currency" | "marketingHub" | "allowKeysElsewhere">;

function storedOf({ name, country, locale, timeZone, currency, marketingHub, allowKeysElsewhere }: Facts): Stored {
  return { name, country, locale, timeZone, currency, marketingHub, allowKeysElsewhere };
}

const LABELS: Record<keyof Stored, string> = {
  name: words.name,
  country: words.country,
  locale: words.locale,
  timeZone: words.timeZone,
  currency: words.currency,
  marketingHub: words.hub,
  allowKeysElsewhere: words.keys,
};

function Facts({ of: facts }: { of: Facts }) {
  const work = useDraft<Stored>(facts.version, storedOf(facts));
  const { draft, set, dirty, clashes } = work;
  const fixed = !may("settings");
  const act = useAct(async () => {
    const result = await write("organization.update", { ...work.changes(), ifVersion: work.version });
    if (result.ok) {
      work.take(result.answer.version, storedOf(result.answer));
      // The frame, and every format, are made of what the page came with.
      toastOnNextPage(words.saved);
      setTimeout(() => leaveFor(location.href));
    }
    return result;
  });
  const field = (key: "name" | "country" | "locale" | "timeZone" | "currency") => ({
    label: LABELS[key],
    pointer: `/${key}`,
    value: draft[key],
    onValue: (value: string) => set({ [key]: value }),
    disabled: fixed,
  });
  return (
    <Form act={act} dirty={dirty} label={words.title}>
      {fixed && <p class="preview soft">{say(words.readOnly, { permission: permissionNames.settings })}</p>}
      <Clashes
        of={work}
        labelOf={(key) => LABELS[key as keyof Stored]}
        textOf={(_, value) => (typeof value === "boolean" ? (value ? words.on : words.off) : value)}
      />
      <h2>{words.general}</h2>
      <TextField {...field("name")} max={200} autoComplete="organization" />
      <SelectField {...field("country")} hint={words.countryHint} choices={choicesOf(COUNTRIES, draft.country, "region")} />
      <h2>{words.formats}</h2>
      <SelectField {...field("locale")} choices={choicesOf(LOCALES, draft.locale, "language")} />
      <SelectField {...field("timeZone")} choices={zoneChoices(draft.timeZone)} />
      <SelectField {...field("currency")} hint={words.currencyHint} choices={choicesOf(CURRENCIES, draft.currency, "currency")} />
      <Sample locale={draft.locale} timeZone={draft.timeZone} currency={draft.currency} />
      <h2>{words.switches}</h2>
      <SwitchField
        label={words.hub}
        hint={words.hubHint}
        pointer="/marketingHub"
        on={draft.marketingHub}
        onValue={(marketingHub) => set({ marketingHub })}
        disabled={fixed}
      />
      <SwitchField
        label={words.keys}
        hint={[words.keysHint, !may("security") && say(words.keysNeeds, { permission: permissionNames.security })]
          .filter(Boolean)
          .join(" ")}
        pointer="/allowKeysElsewhere"
        on={draft.allowKeysElsewhere}
        onValue={(allowKeysElsewhere) => set({ allowKeysElsewhere })}
        disabled={fixed || !may("security")}
      />
      {!fixed && (
        <div class={dirty ? "form-actions form-save" : "form-actions"}>
          <Button type="submit" look="solid" busy={act.busy} disabled={!dirty || clashes.length > 0}>
            {messages.common.save}
          </Button>
          {dirty && (
            <Button look="quiet" onClick={() => work.take(facts.version, storedOf(facts))}>
              {messages.common.cancel}
            </Button>
          )}
        </div>
      )}
    </Form>
  );
}
