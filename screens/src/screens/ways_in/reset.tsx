/** The link of a password reset: choose a new password, and sign in with it. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { session } from "../../house/boot";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { say } from "../../messages/messages";
import { Button, LinkButton } from "../../parts/button";
import { Form } from "../../parts/form";
import { NewPasswordField } from "../../parts/new_password_field";
import { Foreign } from "../../parts/texts";
import { Card, takeToken } from "./card";
import { ForLink } from "./link";

const words = waysIn.reset;
const token = takeToken();

export default function Reset() {
  return (
    <ForLink token={token} kind="account" title={words.title} gone={<Bad />}>
      {(link) => (link.purpose === "reset" ? <Choose email={link.email} /> : <Bad />)}
    </ForLink>
  );
}

function Bad() {
  return (
    <Card title={waysIn.link.goneTitle} about={words.badBody} below={<a href="/app/sign-in">{words.toSignIn}</a>}>
      <LinkButton href="/app/forgot" look="solid">
        {words.again}
      </LinkButton>
    </Card>
  );
}

function Choose({ email }: { email: string }) {
  const [password, setPassword] = useState("");
  const [done, setDone] = useState(false);
  const act = useAct(async () => {
    const result = await send("/app/api/reset", { body: { token, password } });
    if (result.ok) {
      session.value = null;
      setDone(true);
    }
    return result;
  });
  if (done) {
    return (
      <Card title={words.doneTitle} about={words.doneBody}>
        <LinkButton href="/app/sign-in" look="solid">
          {words.toSignIn}
        </LinkButton>
      </Card>
    );
  }
  if (act.problem?.code === "not_found") return <Bad />;
  return (
    <Card title={words.title} about={<Foreign>{say(words.about, { email })}</Foreign>}>
      <Form act={act}>
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <NewPasswordField value={password} onValue={setPassword} autoFocus />
        <Button type="submit" look="solid" busy={act.busy}>
          {words.go}
        </Button>
      </Form>
    </Card>
  );
}
