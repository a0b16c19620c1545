import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { toast } from "../../house/toasts";
import { type Input, write } from "../../house/tools";
import { webhooks } from "../../messages/en/webhooks";
import { SelectField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { EVENT_TYPES, Example } from "./events";
import type { Webhook } from "./state";

const words = webhooks.test;
type TestType = NonNullable<Input<"webhook.test">["event"]>;

interface SendTestProps {
  webhook: Webhook;
  onClose: () => void;
  onSent: (delivery: string) => void;
}

/** A ping, or an example of any event, shown before it is sent. */
export function SendTest({ webhook: { id, events }, onClose, onSent }: SendTestProps) {
  const [event, setEvent] = useState<TestType>("ping");
  const act = useAct(async () => {
    const result = await write("webhook.test", { id, event });
    if (result.ok) {
      toast(words.sent);
      onSent(result.answer.deliveryId);
    }
    return result;
  });
  // Those that it is sent come first.
  const types = [...EVENT_TYPES].sort((one, other) => Number(events.includes(other)) - Number(events.includes(one)));
  return (
    <FormDialog title={words.title} act={act} submit={words.send} onClose={onClose} dirty={false}>
      <SelectField
        label={words.event}
        hint={event === "ping" ? words.pingHint : words.hint}
        pointer="/event"
        value={event}
        onValue={setEvent}
        choices={[{ value: "ping", label: words.ping }, ...types.map((type) => ({ value: type, label: type }))]}
      />
      <Example type={event} />
    </FormDialog>
  );
}
