/** The one-time link: of the first owner, who makes the organization, and of people whom the operator lets in. */
import { useRef, useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { leaveFor } from "../../house/address";
import { type Session, session } from "../../house/boot";
import { formatList } from "../../house/formats";
import type { Result } from "../../house/problems";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { NewPasswordField } from "../../parts/new_password_field";
import { Foreign } from "../../parts/texts";
import { Card, takeToken } from "./card";
import { ForLink, Gone, type SignInLink } from "./link";

const words = waysIn.welcome;
const token = takeToken();

/** What `svc run` prints where there is no organization yet, as the server marks it. */
const IS_FIRST_OWNER = token.startsWith("svcn_");

export default function Welcome() {
  if (IS_FIRST_OWNER) {
    return (
      <ForLink token={token} kind="firstOwner" title={words.firstTitle} gone={<Gone body={words.firstGone} />}>
        {() => <FirstOwner />}
      </ForLink>
    );
  }
  return (
    <ForLink token={token} kind="signIn" title={words.opening} gone={<Gone body={words.badBody} />}>
      {(link) => <Account link={link} />}
    </ForLink>
  );
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
        <TextField
          label={words.organization}
          pointer="/organization"
          autoComplete="organization"
          value={organization}
          onValue={setOrganization}
          autoFocus
          max={200}
        />
        <TextField label={waysIn.name} pointer="/name" autoComplete="name" value={name} onValue={setName} max={200} />
        <TextField label={waysIn.email} pointer="/email" type="email" autoComplete="username" value={email} onValue={setEmail} max={254} />
        <NewPasswordField value={password} onValue={setPassword} />
        <Button type="submit" look="solid" busy={act.busy}>
          {words.go}
        </Button>
      </Form>
    </Card>
  );
}

/** The link is used by what the person does here, not by opening the page: a reload, or a program that looks, costs nothing. */
function Account({ link }: { link: SignInLink }) {
  const [name, setName] = useState(link.name);
  const [password, setPassword] = useState("");
  const opened = useRef<Session | null>(null); // A fault in the password does not need another link.
  const signIn = async (): Promise<Result<Session>> => {
    if (opened.current) return { ok: true, answer: opened.current };
    const result = await send<Session>("/app/api/sign-in-link", { body: { token } });
    if (result.ok) {
      opened.current = result.answer;
      session.value = result.answer;
    }
    return result;
  };
  const act = useAct(async (): Promise<Result<unknown>> => {
    const signedIn = await signIn();
    if (!signedIn.ok) return signedIn;
    if (name !== signedIn.answer.person.name) {
      const named = await send<Session>("/app/api/profile", { body: { name } });
      if (!named.ok) return named;
      opened.current = named.answer;
    }
    const result = await send("/app/api/password", { body: { password } });
    if (result.ok) leaveFor("/app/");
    return result;
  });
  const skip = useAct(async () => {
    const signedIn = await signIn();
    if (signedIn.ok) leaveFor("/app/");
    return signedIn;
  });
  if ([act, skip].some(({ problem }) => problem?.code === "wrong_credentials")) return <Gone body={words.badBody} />;
  const about = say(words.about, { email: link.email, organizations: formatList(link.organizations) });
  return (
    <Card title={say(words.titleOf, { name: link.name })} about={<Foreign>{about}</Foreign>}>
      <Form act={{ run: () => act.run(), problem: act.problem ?? skip.problem }}>
        <input type="hidden" name="username" autoComplete="username" value={link.email} />
        <TextField label={waysIn.name} pointer="/name" autoComplete="name" value={name} onValue={setName} autoFocus max={200} />
        <NewPasswordField value={password} onValue={setPassword} />
        <Button type="submit" look="solid" busy={act.busy}>
          {words.go}
        </Button>
        <Button look="quiet" busy={skip.busy} onClick={() => void skip.run()}>
          {words.skip}
        </Button>
      </Form>
    </Card>
  );
}
