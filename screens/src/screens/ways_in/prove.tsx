/** The link that proves an address. It takes a click, since programs that read mail open links, too. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { leaveFor } from "../../house/address";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ErrorBox } from "../../parts/states";
import { Foreign } from "../../parts/texts";
import { Card, takeToken } from "./card";
import { type AccountLink, ForLink, Gone } from "./link";

const words = waysIn.prove;
const token = takeToken();

export default function Prove() {
  return (
    <ForLink token={token} kind="account" title={words.title} gone={<Bad />}>
      {(link) => (link.purpose === "reset" ? <Bad /> : <Proof link={link} />)}
    </ForLink>
  );
}

const Bad = () => <Gone body={words.badBody} href="/app/" go={words.toApp} />;

/** What is said of the account's own address, or of the one that it gets. */
const SAID = {
  proof: { title: words.title, about: words.about, go: words.go, doneTitle: words.doneTitle, doneBody: words.doneBody },
  address: {
    title: words.addressTitle,
    about: words.addressAbout,
    go: words.addressGo,
    doneTitle: words.addressDoneTitle,
    doneBody: words.addressDoneBody,
  },
};

function Proof({ link: { purpose, name, email } }: { link: AccountLink }) {
  const said = SAID[purpose === "address" ? "address" : "proof"];
  const [done, setDone] = useState(false);
  const act = useAct(async () => {
    const result = await send("/app/api/prove", { body: { token } });
    if (result.ok) setDone(true);
    return result;
  });
  if (act.problem?.code === "not_found") return <Bad />;
  if (done) {
    return (
      <Card title={said.doneTitle} about={<Foreign>{say(said.doneBody, { email })}</Foreign>}>
        <Button look="solid" onClick={() => leaveFor("/app/")}>
          {words.toApp}
        </Button>
      </Card>
    );
  }
  return (
    <Card title={said.title} about={<Foreign>{say(said.about, { name, email })}</Foreign>}>
      <div class="stack">
        <ErrorBox problem={act.problem} />
        <Button look="solid" busy={act.busy} onClick={() => void act.run()} autoFocus>
          {said.go}
        </Button>
      </div>
    </Card>
  );
}
