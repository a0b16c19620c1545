/** The one-time link: of the first owner, who makes the organization, and of people whom the operator lets in. */
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { leaveFor } from "../../house/address";
import { session, type Session } from "../../house/boot";
import type { Problem, Result } from "../../house/problems";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { Button, LinkButton } from "../../parts/button";
import { PasswordField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { ErrorBox, Skeleton } from "../../parts/states";
import { Card, takeToken } from "./card";

const words = waysIn.welcome;
const token = takeToken();

/** What `svc run` prints where there is no organization yet, as the server marks it. */
const IS_FIRST_OWNER = token.startsWith("svco_");

export default function Welcome() {
  return IS_FIRST_OWNER ? <FirstOwner /> : <Link />;
}

function FirstOwner() {
  const [organization, setOrganization] = useState("");
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const act = useAct(async (): Promise<Result<unknown>> => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const made = await send<Session>("/app/api/first-owner", { body: { token, organization, name, email, password, timeZone } });
    if (made.ok) leaveFor("/app/");
    return made;
  });
  return (
    <Card title={words.firstTitle} about={words.firstAbout}>
      <Form act={act}>
        <TextField label={words.organization} pointer="/organization" autoComplete="organization" value={organization} onValue={setOrganization} autoFocus max={200} />
        <TextField label={waysIn.name} pointer="/name" autoComplete="name" value={name} onValue={setName} max={200} />
        <TextField label={waysIn.email} pointer="/email" type="email" autoComplete="username" value={email} onValue={setEmail} max={254} />
        <PasswordField label={waysIn.newPassword} hint={waysIn.passwordHint} pointer="/password" value={password} onValue={setPassword} autoComplete="new-password" />
        <Button type="submit" look="solid" busy={act.busy}>
          {words.go}
        </Button>
      </Form>
    </Card>
  );
}

function Link() {
  const [problem, setProblem] = useState<Problem | null>(null);
  const open = async () => {
    setProblem(null);
    const opened = await send<Session>("/app/api/sign-in-link", { body: { token } });
    if (opened.ok) session.value = opened.answer;
    else setProblem(opened.problem);
  };
  useEffect(() => {
    if (token) void open();
  }, []);
  if (problem?.code === "no_connection") {
    return (
      <Card title={words.opening}>
        <ErrorBox problem={problem} again={() => void open()} />
      </Card>
    );
  }
  if (problem || !token) {
    return (
      <Card title={words.badTitle} about={words.badBody}>
        <LinkButton href="/app/sign-in" look="solid">
          {words.toSignIn}
        </LinkButton>
      </Card>
    );
  }
  if (!session.value) {
    return (
      <Card title={words.opening}>
        <Skeleton lines={2} />
      </Card>
    );
  }
  return <Account session={session.value} />;
}

function Account({ session: { person } }: { session: Session }) {
  const [name, setName] = useState(person.name);
  const [password, setPassword] = useState("");
  const act = useAct(async (): Promise<Result<unknown>> => {
    if (name !== person.name) {
      const named = await send("/app/api/profile", { body: { name } });
      if (!named.ok) return named;
    }
    const result = await send("/app/api/password", { body: { password } });
    if (result.ok) leaveFor("/app/");
    return result;
  });
  return (
    <Card title={words.title} about={words.about} below={<a href="/app/" target="_self">{words.skip}</a>}>
      <Form act={act}>
        <input type="hidden" name="username" autoComplete="username" value={person.email} />
        <TextField label={waysIn.name} pointer="/name" autoComplete="name" value={name} onValue={setName} autoFocus max={200} />
        <PasswordField label={waysIn.newPassword} hint={waysIn.passwordHint} pointer="/password" value={password} onValue={setPassword} autoComplete="new-password" />
        <Button type="submit" look="solid" busy={act.busy}>
          {words.go}
        </Button>
      </Form>
    </Card>
  );
}
