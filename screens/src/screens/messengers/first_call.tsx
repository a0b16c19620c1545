/** Says that the first call of a bridge is waited for, with the key *keyId* or any, and the moment that it is there. */
import { formatRelative } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { messengers } from "../../messages/en/messengers";
import { say } from "../../messages/messages";
import "../../styles/home.css";
import "../../styles/webhooks.css";

const words = messengers.guideSteps;

export function FirstCall({ id, keyId }: { id: string; keyId?: string | undefined }) {
  const { answer } = useAnswer("connection.get", { id });
  const at = keyId ? answer?.keys.find((key) => key.id === keyId)?.lastUsedAt : answer?.lastCallAt;
  return (
    <p role="status" class={at ? "first-call step-received" : "first-call step-awaited"}>
      {at ? say(words.here, { when: formatRelative(at) }) : words.awaited}
    </p>
  );
}
