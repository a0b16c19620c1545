/** The link that proves an address. It takes a click, since programs that read mail open links, too. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { leaveFor } from "../../house/address";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { Button } from "../../parts/button";
import { ErrorBox } from "../../parts/states";
import { Card, takeToken } from "./card";

const words = waysIn.prove;
const token = takeToken();

export default function Prove() {
  const [done, setDone] = useState(false);
  const act = useAct(async () => {
    const result = await send("/app/api/prove", { body: { token } });
    if (result.ok) setDone(true);
    return result;
  });
  if (done || !token || act.problem?.code === "not_found") {
    return (
      <Card title={done ? words.doneTitle : words.badTitle} about={done ? words.doneBody : words.badBody}>
        <Button look="solid" onClick={() => leaveFor("/app/")}>
          {words.toApp}
        </Button>
      </Card>
    );
  }
  return (
    <Card title={words.title} about={words.about}>
      <div class="stack">
        <ErrorBox problem={act.problem} />
        <Button look="solid" busy={act.busy} onClick={() => void act.run()} autoFocus>
          {words.go}
        </Button>
      </div>
    </Card>
  );
}
