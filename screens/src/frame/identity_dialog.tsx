/** Confirms who is at the screen, or signs them in again, over the page that they are at. */
import { useState } from "preact/hooks";
import { useAct } from "../house/acts";
import { leaveFor } from "../house/address";
import { type Session, session } from "../house/boot";
import { identityDialog, signInAddress } from "../house/identity";
import type { Result } from "../house/problems";
import { send } from "../house/requests";
import { identity } from "../messages/en/identity";
import { messages } from "../messages/messages";
import { Button } from "../parts/button";
import { Dialog } from "../parts/dialog";
import { PasswordField } from "../parts/field";
import { Form } from "../parts/form";

const words = identity;

export function IdentityDialog() {
  const waiting = identityDialog.value;
  return waiting && <OpenDialog key={waiting.kind} kind={waiting.kind} done={waiting.done} />;
}

function OpenDialog({ kind, done }: { kind: "confirm" | "sign-in"; done: (done: boolean) => void }) {
  const [password, setPassword] = useState("");
  const isConfirm = kind === "confirm";
  const person = session.value?.person;
  const act = useAct(async (): Promise<Result<unknown>> => {
    if (isConfirm) {
      const confirmed = await send("/app/api/confirm", { body: { password } });
      if (confirmed.ok) done(true);
      return confirmed;
    }
    const body = { email: person?.email, password, organization: person?.homeOrganizationId };
    const opened = await send<Session>("/app/api/sign-in", { body });
    if (!opened.ok) return opened;
    session.value = opened.answer;
    done(true);
    return opened;
  });
  return (
    <Dialog title={isConfirm ? words.confirmTitle : words.again} onClose={() => done(false)}>
      <Form act={act}>
        <p class="prose">{isConfirm ? words.confirmBody : words.againBody}</p>
        {/* Password managers look for the name beside it. */}
        <input type="hidden" name="username" autoComplete="username" value={person?.email ?? ""} />
        <PasswordField
          label={words.password}
          pointer="/password"
          value={password}
          onValue={setPassword}
          autoComplete="current-password"
          autoFocus
        />
        <footer>
          {isConfirm ? (
            <Button onClick={() => done(false)}>{messages.common.cancel}</Button>
          ) : (
            <Button look="quiet" onClick={() => leaveFor(signInAddress())}>
              {words.otherAccount}
            </Button>
          )}
          <Button type="submit" look="solid" busy={act.busy}>
            {isConfirm ? words.confirm : words.again}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
