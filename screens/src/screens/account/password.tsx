/** One's own password. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { session } from "../../house/boot";
import { confirmIdentity } from "../../house/identity";
import { send } from "../../house/requests";
import { toast } from "../../house/toasts";
import { messages } from "../../messages/messages";
import { waysIn } from "../../messages/en/ways_in";
import { Page } from "../../frame/page";
import { Button } from "../../parts/button";
import { PasswordField } from "../../parts/field";
import { Form } from "../../parts/form";

const words = waysIn.account;

export default function Password() {
  const [password, setPassword] = useState("");
  const act = useAct(async () => {
    const change = () => send("/app/api/password", { body: { password } });
    let result = await change();
    if (!result.ok && result.problem.code === "confirmation_required" && (await confirmIdentity())) result = await change();
    if (result.ok) {
      setPassword("");
      toast(words.changed);
    }
    return result;
  });
  return (
    <Page title={words.title} crumbs={[messages.sections.account]} about={words.about}>
      <Form act={act} dirty={password !== ""}>
        <input type="hidden" name="username" autoComplete="username" value={session.value?.person.email ?? ""} />
        <PasswordField label={waysIn.newPassword} hint={waysIn.passwordHint} pointer="/password" value={password} onValue={setPassword} autoComplete="new-password" />
        <div class="form-actions">
          <Button type="submit" look="solid" busy={act.busy} disabled={password === ""}>
            {words.change}
          </Button>
        </div>
      </Form>
    </Page>
  );
}
