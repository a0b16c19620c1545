/** Signing in with e-mail and password; afterwards the page is the one that was wanted. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { leaveFor } from "../../house/address";
import { nextPath, type Session, sendsMail } from "../../house/boot";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { PasswordField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { Card } from "./card";

const words = waysIn.signIn;

export default function SignIn() {
  const about = nextPath && nextPath !== "/app/" ? say(words.next, { path: nextPath.split("?")[0] ?? "" }) : undefined;
  return <SignInCard about={about} onDone={() => leaveFor(nextPath ?? "/app/")} />;
}

interface SignInCardProps {
  about?: ComponentChildren;
  onDone: (session: Session) => void;
  below?: ComponentChildren;
}

/** Asks for e-mail and password, and for the organization where several accounts have both. */
export function SignInCard({ about, onDone, below = sendsMail ? <a href="/app/forgot">{words.forgot}</a> : words.help }: SignInCardProps) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const act = useAct(async (organization?: string) => {
    const result = await send<Session>("/app/api/sign-in", { body: { email, password, ...(organization && { organization }) } });
    if (result.ok) onDone(result.answer);
    return result;
  });
  const choices = act.problem?.code === "organization_required" ? act.problem.organizations : [];
  if (choices.length > 0) {
    return (
      <Card title={words.which} about={words.whichBody}>
        <div class="stack">
          {choices.map(({ id, name }) => (
            <Button key={id} busy={act.busy} onClick={() => void act.run(id)}>
              <bdi>{name}</bdi>
            </Button>
          ))}
          <Button look="quiet" onClick={act.forget}>
            {words.other}
          </Button>
        </div>
      </Card>
    );
  }
  return (
    <Card title={words.title} about={about} below={below}>
      <Form act={{ run: () => act.run(), problem: act.problem }}>
        <TextField label={waysIn.email} pointer="/email" type="email" autoComplete="username" value={email} onValue={setEmail} autoFocus />
        <PasswordField label={waysIn.password} pointer="/password" value={password} onValue={setPassword} autoComplete="current-password" />
        <Button type="submit" look="solid" busy={act.busy}>
          {words.go}
        </Button>
      </Form>
    </Card>
  );
}
