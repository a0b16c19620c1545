/** What one is told by mail, in this organization; and the proof of the address that it goes to. */
import { useEffect, useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { useAct } from "../../house/acts";
import { sendsMail } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import { send } from "../../house/requests";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { waysIn } from "../../messages/en/ways_in";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Failure } from "../../parts/failure";
import { SwitchField } from "../../parts/field";
import { Form } from "../../parts/form";
import { ErrorBox, Skeleton } from "../../parts/states";

const words = waysIn.notices;

type Choice = Answer<"notice.get">;
type Kind = Choice["kinds"][number];

export default function Notices() {
  const { answer, problem, query } = useAnswer("notice.get", {});
  return (
    <Page title={words.title} crumbs={[messages.sections.account]} about={words.about}>
      {answer ? <Kinds choice={answer} /> : problem ? <Failure problem={problem} again={() => void query.again()} /> : <Skeleton />}
    </Page>
  );
}

function Kinds({ choice }: { choice: Choice }) {
  const [kinds, setKinds] = useState<readonly Kind[]>(choice.kinds);
  const stored = choice.kinds.join();
  useEffect(() => setKinds(choice.kinds), [stored]);
  const act = useAct(async () => {
    const result = await write("notice.set", { kinds: [...kinds] });
    if (result.ok) toast(words.saved);
    return result;
  });
  const turn = (kind: Kind, on: boolean) => setKinds(choice.available.filter((one) => (one === kind ? on : kinds.includes(one))));
  if (choice.available.length === 0) return <p>{words.none}</p>;
  return (
    <div class="stack">
      <Address choice={choice} />
      <Form act={act} dirty={kinds.join() !== stored}>
        {choice.available.map((kind) => (
          <SwitchField
            key={kind}
            label={words.kinds[kind].label}
            hint={words.kinds[kind].hint}
            on={kinds.includes(kind)}
            onValue={(on) => turn(kind, on)}
          />
        ))}
        <div class="form-actions">
          <Button type="submit" look="solid" busy={act.busy} disabled={kinds.join() === stored}>
            {words.save}
          </Button>
        </div>
      </Form>
    </div>
  );
}

function Address({ choice: { email, emailProven } }: { choice: Choice }) {
  const act = useAct(async () => {
    const result = await send("/app/api/address-proof", { body: {} });
    if (result.ok) toast(say(words.proofSent, { email }));
    return result;
  });
  if (!sendsMail) return <p class="soft">{words.noMail}</p>;
  if (emailProven) return <p class="soft">{say(words.to, { email })}</p>;
  return (
    <div class="stack">
      <p>{say(words.unproven, { email })}</p>
      <ErrorBox problem={act.problem} />
      <p>
        <Button busy={act.busy} onClick={() => void act.run()}>
          {words.prove}
        </Button>
      </p>
    </div>
  );
}
