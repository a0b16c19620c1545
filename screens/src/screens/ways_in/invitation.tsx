/** An invitation: a new person makes an account, one who is signed in joins with theirs. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { leaveFor } from "../../house/address";
import { session, type Session } from "../../house/boot";
import { send } from "../../house/requests";
import { say } from "../../messages/messages";
import { waysIn } from "../../messages/en/ways_in";
import { Button } from "../../parts/button";
import { PasswordField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { ErrorBox } from "../../parts/states";
import { Card, takeToken } from "./card";
import { SignInCard } from "./sign_in";

const words = waysIn.invitation;
const token = takeToken();

export default function Invitation() {
  const person = session.value?.person;
  const [asNew, setAsNew] = useState(!person);
  if (!token) return <Card title={words.missingTitle}>{words.missingBody}</Card>;
  const toNew = () => setAsNew(true);
  if (asNew) return <Create {...(person && { email: person.email })} asMember={() => setAsNew(false)} />;
  if (person) return <Join email={person.email} asNew={toNew} />;
  const below = (
    <Button look="quiet" onClick={toNew}>
      {words.newInstead}
    </Button>
  );
  return <SignInCard about={words.aboutSignIn} onDone={(opened) => (session.value = opened)} below={below} />;
}

/** Open the organization that was joined: the one that was not there before. */
function openJoined(before: Session | null, now: Session): void {
  const known = new Set(before?.organizations.map(({ id }) => id));
  const joined = now.organizations.find(({ id }) => !known.has(id));
  leaveFor(joined && joined.id !== now.person.homeOrganizationId ? `/app/?org=${joined.id}` : "/app/");
}

function Join({ email, asNew }: { email: string; asNew: () => void }) {
  const act = useAct(async () => {
    const result = await send<Session>("/app/api/accept", { body: { token } });
    if (result.ok) openJoined(session.value, result.answer);
    return result;
  });
  return (
    <Card title={words.title} about={say(words.aboutJoin, { email })}>
      <div class="stack">
        <ErrorBox problem={act.problem} />
        <Button look="solid" busy={act.busy} onClick={() => void act.run()} autoFocus>
          {words.join}
        </Button>
        <Button look="quiet" onClick={asNew}>
          {words.newInstead}
        </Button>
      </div>
    </Card>
  );
}

function Create({ email, asMember }: { email?: string; asMember: () => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const act = useAct(async () => {
    const result = await send<Session>("/app/api/sign-up", { body: { token, name, password } });
    if (result.ok) openJoined(null, result.answer);
    return result;
  });
  return (
    <Card title={words.title} about={words.aboutNew}>
      <Form act={act}>
        <TextField label={waysIn.name} pointer="/name" autoComplete="name" value={name} onValue={setName} autoFocus max={200} />
        <PasswordField label={waysIn.newPassword} hint={waysIn.passwordHint} pointer="/password" value={password} onValue={setPassword} autoComplete="new-password" />
        <Button type="submit" look="solid" busy={act.busy}>
          {words.create}
        </Button>
        <Button look="quiet" onClick={asMember}>
          {email ? say(words.joinInstead, { email }) : words.haveAccount}
        </Button>
      </Form>
    </Card>
  );
}
