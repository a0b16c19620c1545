/** How one signs in: by a password. */
import { useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { useAct } from "../../house/acts";
import { session } from "../../house/boot";
import { confirmIdentity } from "../../house/identity";
import { send } from "../../house/requests";
import { toast } from "../../house/toasts";
import { waysIn } from "../../messages/en/ways_in";
import { messages } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Form } from "../../parts/form";
import { NewPasswordField } from "../../parts/new_password_field";

const words = waysIn.account;

export default function Security() {
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
      <section class="stack">
        <h2>{waysIn.password}</h2>
        <Form act={act} dirty={password !== ""}>
          <input type="hidden" name="username" autoComplete="username" value={session.value?.person.email ?? ""} />
          <NewPasswordField value={password} onValue={setPassword} />
          <div class="form-actions">
            <Button type="submit" look="solid" busy={act.busy} disabled={password === ""}>
              {words.change}
            </Button>
          </div>
        </Form>
      </section>
    </Page>
  );
}
