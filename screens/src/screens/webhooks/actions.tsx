/** What can be done with a webhook: a test, pausing and resuming, sending again, and deleting it. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { go, to } from "../../house/address";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { webhooks as words } from "../../messages/en/webhooks";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { later } from "../../parts/later";
import { Menu } from "../../parts/menu";
import { ErrorBox } from "../../parts/states";
import { nameOf, StateBadge, type Webhook } from "./state";

const Replay = later(async () => (await import("./replay")).Replay);
const SendTest = later(async () => (await import("./send_test")).SendTest);

type Shown = "test" | "replay" | null;

interface ActionsProps {
  webhook: Webhook;
  onTested: (delivery: string) => void;
  onDeleting: (isDeleting: boolean) => void;
}

export function Actions({ webhook, onTested, onDeleting }: ActionsProps) {
  const { id, active } = webhook;
  const name = nameOf(webhook);
  const [shown, setShown] = useState<Shown>(null);
  const resume = useAct(async () => {
    const result = await write("webhook.update", { id, active: true });
    if (result.ok) toast(say(words.resumed, { name }));
    return result;
  });
  const pause = async () => {
    const act = () => write("webhook.update", { id, active: false });
    if (await ask({ title: say(words.pauseTitle, { name }), body: words.pauseBody, confirm: words.pause, act }))
      toast(say(words.paused, { name }));
  };
  const remove = async () => {
    const [title, body] = [say(words.removeTitle, { name }), words.removeBody];
    const act = async () => {
      onDeleting(true);
      const result = await write("webhook.delete", { id });
      if (!result.ok) onDeleting(false);
      return result;
    };
    if (!(await ask({ title, body, confirm: words.remove, danger: true, name, act }))) return;
    toast(say(words.removed, { name }));
    void go(to("/app/settings/webhooks"), { replace: true });
  };
  return (
    <>
      <ErrorBox problem={resume.problem} />
      <StateBadge of={webhook} />
      {active ? (
        <Button icon="pause" onClick={() => void pause()}>
          {words.pause}
        </Button>
      ) : (
        <Button icon="play" busy={resume.busy} onClick={() => void resume.run()}>
          {words.resume}
        </Button>
      )}
      <Menu
        label={words.actions}
        items={[
          [{ label: words.replay.open, icon: "redo-2", disabled: !active, run: () => setShown("replay") }],
          [{ label: words.remove, icon: "trash-2", danger: true, run: () => void remove() }],
        ]}
      >
        <Icon name="ellipsis" />
      </Menu>
      <Button look="solid" icon="send" disabled={!active} onClick={() => setShown("test")}>
        {words.test.send}
      </Button>
      <SendTest
        isWanted={shown === "test"}
        webhook={webhook}
        onClose={() => setShown(null)}
        onSent={(delivery) => {
          setShown(null);
          onTested(delivery);
        }}
      />
      <Replay isWanted={shown === "replay"} webhook={webhook} onClose={() => setShown(null)} />
    </>
  );
}
