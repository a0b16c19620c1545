/** A forgotten password: a link is mailed, if there is such an account. The answer is the same either way. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { say } from "../../messages/messages";
import { Button, LinkButton } from "../../parts/button";
import { TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { Card } from "./card";

const words = waysIn.forgot;

export default function Forgot() {
  const [email, setEmail] = useState("");
  const [sent, setSent] = useState(false);
  const act = useAct(async () => {
    const result = await send("/app/api/password-reset", { body: { email } });
    if (result.ok) setSent(true);
    return result;
  });
  const back = <a href="/app/sign-in">{words.back}</a>;
  if (sent) {
    return (
      <Card title={words.sentTitle} about={say(words.sentBody, { email: email.trim() })}>
        <LinkButton href="/app/sign-in">{words.back}</LinkButton>
      </Card>
    );
  }
  return (
    <Card title={words.title} about={words.about} below={back}>
      <Form act={act}>
        <TextField label={waysIn.email} pointer="/email" type="email" autoComplete="username" value={email} onValue={setEmail} autoFocus />
        <Button type="submit" look="solid" busy={act.busy} disabled={email.trim() === ""}>
          {words.go}
        </Button>
      </Form>
    </Card>
  );
}
