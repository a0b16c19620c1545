/** An invitation: who invites to what; a new person makes an account, one who is signed in joins with theirs. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { leaveFor } from "../../house/address";
import { type Session, session } from "../../house/boot";
import { formatDate } from "../../house/formats";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { NewPasswordField } from "../../parts/new_password_field";
import { ErrorBox } from "../../parts/states";
import { Foreign } from "../../parts/texts";
import { Card, takeToken } from "./card";
import { ForLink, Gone, type InvitationLink } from "./link";
import { SignInCard } from "./sign_in";

const words = waysIn.invitation;
const token = takeToken();

export default function Invitation() {
  if (!token) return <Card title={words.missingTitle}>{words.missingBody}</Card>;
  const gone = <Gone title={words.goneTitle} body={words.goneBody} />;
  return (
    <ForLink token={token} kind="invitation" title={words.title} gone={gone}>
      {(link) => <Invited link={link} />}
    </ForLink>
  );
}

function Invited({ link }: { link: InvitationLink }) {
  const signedIn = session.value;
  const [asNew, setAsNew] = useState(!signedIn);
  const toNew = () => setAsNew(true);
  if (asNew) return <Create link={link} {...(signedIn && { email: signedIn.person.email })} asMember={() => setAsNew(false)} />;
  const isMember = signedIn?.organizations.some(({ id }) => id === link.organization.id);
  if (signedIn && isMember) return <Member link={link} session={signedIn} asNew={toNew} />;
  if (signedIn) return <Join link={link} email={signedIn.person.email} asNew={toNew} />;
  const below = (
    <Button look="quiet" onClick={toNew}>
      {words.newInstead}
    </Button>
  );
  const about = <Foreign>{say(words.aboutSignIn, { organization: link.organization.name })}</Foreign>;
  return <SignInCard about={about} onDone={(opened) => (session.value = opened)} below={below} />;
}

function open({ organization: { id } }: InvitationLink, { person }: Session): void {
  leaveFor(id === person.homeOrganizationId ? "/app/" : `/app/?org=${id}`);
}

/** Who invites to what, as what; for which address, and until when. */
function InvitedCard({ link, children }: { link: InvitationLink; children: ComponentChildren }) {
  const { organization, role, email, invitedBy, expiresAt } = link;
  const by = invitedBy ? say(words.by, { person: invitedBy, role }) : say(words.byOperator, { role });
  return (
    <Card title={say(words.join, { organization: organization.name })} about={<Foreign>{by}</Foreign>}>
      <dl class="facts">
        <dt>{words.address}</dt>
        <dd>
          <Foreign>{email}</Foreign>
        </dd>
        <dt>{words.until}</dt>
        <dd>
          <time dateTime={expiresAt}>{formatDate(expiresAt)}</time>
        </dd>
      </dl>
      {children}
    </Card>
  );
}

function Member({ link, session: known, asNew }: { link: InvitationLink; session: Session; asNew: () => void }) {
  const organization = link.organization.name;
  return (
    <Card title={words.memberTitle} about={<Foreign>{say(words.memberBody, { organization, email: known.person.email })}</Foreign>}>
      <div class="stack">
        <Button look="solid" onClick={() => open(link, known)} autoFocus>
          {say(words.open, { organization })}
        </Button>
        <Button look="quiet" onClick={asNew}>
          {words.newInstead}
        </Button>
      </div>
    </Card>
  );
}

function Join({ link, email, asNew }: { link: InvitationLink; email: string; asNew: () => void }) {
  const act = useAct(async () => {
    const result = await send<Session>("/app/api/accept", { body: { token } });
    if (result.ok) open(link, result.answer);
    return result;
  });
  return (
    <InvitedCard link={link}>
      <div class="stack">
        <p>
          <Foreign>{say(words.aboutJoin, { email })}</Foreign>
        </p>
        <ErrorBox problem={act.problem} />
        <Button look="solid" busy={act.busy} onClick={() => void act.run()} autoFocus>
          {words.go}
        </Button>
        <Button look="quiet" onClick={asNew}>
          {words.newInstead}
        </Button>
      </div>
    </InvitedCard>
  );
}

function Create({ link, email, asMember }: { link: InvitationLink; email?: string; asMember: () => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const act = useAct(async () => {
    const result = await send<Session>("/app/api/sign-up", { body: { token, name, password } });
    if (result.ok) open(link, result.answer);
    return result;
  });
  return (
    <InvitedCard link={link}>
      <Form act={act}>
        <input type="hidden" name="username" autoComplete="username" value={link.email} />
        <TextField label={waysIn.name} pointer="/name" autoComplete="name" value={name} onValue={setName} autoFocus max={200} />
        <NewPasswordField value={password} onValue={setPassword} />
        <Button type="submit" look="solid" busy={act.busy}>
          {words.create}
        </Button>
        <Button look="quiet" onClick={asMember}>
          {email ? say(words.joinInstead, { email }) : words.haveAccount}
        </Button>
      </Form>
    </InvitedCard>
  );
}
