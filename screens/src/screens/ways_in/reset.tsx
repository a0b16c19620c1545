/** The link of a password reset: choose a new password, and sign in with it. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { session } from "../../house/boot";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { Button, LinkButton } from "../../parts/button";
import { PasswordField } from "../../parts/field";
import { Form } from "../../parts/form";
import { Card, takeToken } from "./card";

const words = waysIn.reset;
const token = takeToken();

export default function Reset() {
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
  if (!token || act.problem?.code === "not_found") {
    return (
      <Card title={words.badTitle} about={words.badBody} below={<a href="/app/sign-in">{words.toSignIn}</a>}>
        <LinkButton href="/app/forgot" look="solid">
          {words.again}
        </LinkButton>
      </Card>
    );
  }
  return (
    <Card title={words.title} about={words.about}>
      <Form act={act}>
        <PasswordField label={waysIn.newPassword} hint={waysIn.passwordHint} pointer="/password" value={password} onValue={setPassword} autoComplete="new-password" autoFocus />
        <Button type="submit" look="solid" busy={act.busy}>
          {words.go}
        </Button>
      </Form>
    </Card>
  );
}
