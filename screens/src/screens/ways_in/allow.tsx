/** What an app asks: which app, from where, for whom, in which organization, what and until when. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { leaveFor, parameter } from "../../house/address";
import { session } from "../../house/boot";
import { confirmIdentity } from "../../house/identity";
import type { Problem, Result } from "../../house/problems";
import { send } from "../../house/requests";
import { apps } from "../../messages/en/apps";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { RadioField, SelectField } from "../../parts/field";
import { Form } from "../../parts/form";
import { later } from "../../parts/later";
import { ErrorBox, Skeleton } from "../../parts/states";
import { Foreign } from "../../parts/texts";
import { Card } from "./card";

const words = apps.allow;
const ToolChoices = later(async () => (await import("../keys/tool_choices")).ToolChoices);

interface Offered {
  id: string;
  name: string;
  role: string;
  /** Why the app cannot be connected to it, where it cannot. */
  refusal: string | null;
}

interface Question {
  app: { id: string; name: string; host: string };
  redirectTo: string;
  scope: "tools" | "tools.read";
  resource: string;
  organizations: Offered[];
  home: string;
  confirmed: boolean;
}

type Reach = "all" | "read" | "list";
type ExpiresIn = "30d" | "90d" | "1y";

const ASKED = "/app/api/authorization";

export default function Allow() {
  const request = parameter("request") ?? "";
  const [question, setQuestion] = useState<Question>();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [way, setWay] = useState<{ href: string; allowed: boolean } | null>(null);
  const load = async () => {
    const result = await send<Question>(ASKED, { body: { request } });
    if (result.ok) setQuestion(result.answer);
    setProblem(result.ok ? null : result.problem);
  };
  useEffect(() => void load(), []);
  if (problem?.code === "not_found") return <Card title={words.goneTitle}>{words.goneBody}</Card>;
  if (!question)
    return (
      <Card title={apps.title}>
        <ErrorBox problem={problem} />
        {!problem && <Skeleton lines={6} />}
      </Card>
    );
  const { app } = question;
  if (way)
    return (
      <Card title={words.doneTitle}>
        <p>
          <Foreign>{say(way.allowed ? words.done : words.denied, { app: app.name })}</Foreign>
        </p>
        <a class="button solid" href={way.href}>
          <Foreign>{say(words.open, { app: app.name })}</Foreign>
        </a>
      </Card>
    );
  const go = (href: string, allowed: boolean) => {
    setWay({ href, allowed });
    leaveFor(href);
  };
  return <Asked question={question} request={request} onDecided={go} />;
}

interface AskedProps {
  question: Question;
  request: string;
  onDecided: (href: string, allowed: boolean) => void;
}

function Asked({ question, request, onDecided }: AskedProps) {
  const { organizations, scope } = question;
  const open = organizations.filter((one) => one.refusal === null);
  const first = open.find((one) => one.id === question.home) ?? open[0] ?? organizations[0];
  const [organization, setOrganization] = useState(first?.id ?? "");
  const [reach, setReach] = useState<Reach>(scope === "tools" ? "all" : "read");
  const [tools, setTools] = useState<ReadonlySet<string>>(new Set());
  const [expiresIn, setExpiresIn] = useState<ExpiresIn>("90d");
  const chosen = organizations.find((one) => one.id === organization);
  const decide = (allowed: boolean) => async (): Promise<Result<{ redirect: string }>> => {
    const decision = { organization, tools: reach === "list" ? [...tools].sort() : reach, expiresIn };
    const ask = () =>
      send<{ redirect: string }>(`${ASKED}/${allowed ? "allow" : "deny"}`, { body: allowed ? { request, ...decision } : { request } });
    let result = await ask();
    if (!result.ok && result.problem.code === "confirmation_required" && (await confirmIdentity())) result = await ask();
    if (result.ok) onDecided(result.answer.redirect, allowed);
    return result;
  };
  const allow = useAct(decide(true));
  const deny = useAct(decide(false));
  const choices = [
    ...(scope === "tools" ? [{ value: "all" as const, label: words.all }] : []),
    { value: "read" as const, label: words.read },
    { value: "list" as const, label: words.list },
  ];
  return (
    <AskedCard question={question}>
      <Form act={allow}>
        {organizations.length === 0 && <p role="alert">{words.noOrganization}</p>}
        {organizations.length > 1 && (
          <SelectField
            label={words.organization}
            pointer="/organization"
            value={organization}
            onValue={setOrganization}
            choices={organizations.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        {chosen?.refusal && (
          <p class="refusal" role="alert">
            {chosen.refusal}
          </p>
        )}
        <RadioField label={words.reach} pointer="/tools" value={reach} onValue={setReach} choices={choices} />
        <ToolChoices isWanted={reach === "list"} onlyReads={scope !== "tools"} chosen={tools} onChosen={setTools} />
        <RadioField
          label={words.expiresIn}
          pointer="/expiresIn"
          value={expiresIn}
          onValue={setExpiresIn}
          choices={[
            { value: "30d", label: words.days30 },
            { value: "90d", label: words.days90 },
            { value: "1y", label: words.year },
          ]}
        />
        {!question.confirmed && <p class="field-hint">{words.confirm}</p>}
        <ErrorBox problem={deny.problem} />
        <Button
          type="submit"
          look="solid"
          busy={allow.busy}
          disabled={!chosen || chosen.refusal !== null || (reach === "list" && tools.size === 0)}
        >
          {words.go}
        </Button>
        <Button look="quiet" busy={deny.busy} onClick={() => void deny.run()}>
          {words.deny}
        </Button>
        <p class="field-hint">
          {words.end} <Foreign>{say(words.back, { address: question.redirectTo })}</Foreign>
        </p>
      </Form>
    </AskedCard>
  );
}

/** Who asks, and whom. */
function AskedCard({ question, children }: { question: Question; children: ComponentChildren }) {
  const { app, organizations } = question;
  const about = app.host === "this device" ? words.fromDevice : say(words.from, { host: app.host });
  const [only] = organizations;
  return (
    <Card title={say(words.title, { app: app.name })} about={<Foreign>{about}</Foreign>} below={words.unproven}>
      <dl class="facts">
        <dt>{words.as}</dt>
        <dd>
          <Foreign>{session.value?.person.email ?? ""}</Foreign>
        </dd>
        {organizations.length === 1 && only && (
          <>
            <dt>{words.organization}</dt>
            <dd>
              <Foreign>{only.name}</Foreign>
            </dd>
          </>
        )}
      </dl>
      {children}
    </Card>
  );
}
