/** One's own name and e-mail address, which are the same in every organization. */
import { useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { useAct } from "../../house/acts";
import { type Person, type Session, sendsMail, session } from "../../house/boot";
import { confirmIdentity } from "../../house/identity";
import { send } from "../../house/requests";
import { toast } from "../../house/toasts";
import { waysIn } from "../../messages/en/ways_in";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { Badge, Foreign } from "../../parts/texts";

const words = waysIn.profile;

export default function Profile() {
  const person = session.value?.person;
  return (
    <Page title={words.title} crumbs={[messages.sections.account]} about={words.about}>
      {person && (
        <>
          <Name person={person} />
          <Email person={person} />
        </>
      )}
    </Page>
  );
}

function Name({ person }: { person: Person }) {
  const [name, setName] = useState(person.name);
  const act = useAct(async () => {
    const result = await send<Session>("/app/api/profile", { body: { name } });
    if (result.ok) {
      session.value = result.answer;
      setName(result.answer.person.name);
      toast(words.named);
    }
    return result;
  });
  const dirty = name !== person.name;
  return (
    <section class="stack">
      <Form act={act} dirty={dirty}>
        <TextField label={waysIn.name} hint={words.nameHint} pointer="/name" autoComplete="name" value={name} onValue={setName} max={200} />
        <div class="form-actions">
          <Button type="submit" look="solid" busy={act.busy} disabled={!dirty || name.trim() === ""}>
            {words.save}
          </Button>
        </div>
      </Form>
    </section>
  );
}

/** Another address counts once the link that is mailed to it was opened; the present one is told. */
function Email({ person }: { person: Person }) {
  const [email, setEmail] = useState("");
  const [askedFor, setAskedFor] = useState("");
  const act = useAct(async () => {
    const ask = () => send("/app/api/address", { body: { email } });
    let result = await ask();
    if (!result.ok && result.problem.code === "confirmation_required" && (await confirmIdentity())) result = await ask();
    if (result.ok) {
      setAskedFor(email.trim());
      setEmail("");
    }
    return result;
  });
  return (
    <section class="section stack">
      <h2>{waysIn.email}</h2>
      <p class="with-badge">
        <Foreign>{person.email}</Foreign>
        <Badge kind={person.emailProven ? "good" : "plain"}>{person.emailProven ? words.proven : words.unproven}</Badge>
      </p>
      {askedFor && (
        <p class="note" role="status">
          <Foreign>{say(words.sent, { email: askedFor, present: person.email })}</Foreign>
        </p>
      )}
      {sendsMail ? (
        <Form act={act} dirty={email !== ""}>
          <TextField
            label={words.newEmail}
            hint={words.emailHint}
            pointer="/email"
            type="email"
            autoComplete="username"
            value={email}
            onValue={setEmail}
            max={254}
          />
          <div class="form-actions">
            <Button type="submit" busy={act.busy} disabled={email.trim() === ""}>
              {words.sendLink}
            </Button>
          </div>
        </Form>
      ) : (
        <p class="soft">{words.noMail}</p>
      )}
    </section>
  );
}
