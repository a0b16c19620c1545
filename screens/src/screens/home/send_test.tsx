/** Sends a submission to the newest form, as a page would: so that one sees what becomes of it. */
import { useAct } from "../../house/acts";
import { session } from "../../house/boot";
import { isCutOff, ownProblem, type Result } from "../../house/problems";
import { useAnswer } from "../../house/queries";
import { send } from "../../house/requests";
import { toast } from "../../house/toasts";
import { home } from "../../messages/en/home";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ErrorBox } from "../../parts/states";

const words = home.steps;

export function SendTest() {
  const form = useAnswer("form.list", {}).answer?.forms.findLast(({ status }) => status === "active");
  const act = useAct(async (): Promise<Result<unknown>> => {
    const { name, email } = session.value?.person ?? { name: "", email: "" };
    const sent = await send("/api/f/s", { body: { f: form?.formKey, v: { name, email, message: words.testMessage } } });
    if (sent.ok || isCutOff(sent.problem)) return sent;
    return { ok: false, problem: ownProblem("refused", words.refused) };
  });
  if (!form) return null;
  if (form.domain) return <span class="soft">{say(words.bound, { domain: form.domain })}</span>;
  const run = async () => {
    if (await act.run()) toast(words.testSent);
  };
  return (
    <>
      <Button small busy={act.busy} onClick={() => void run()}>
        {words.test}
      </Button>
      <ErrorBox problem={act.problem} />
    </>
  );
}
