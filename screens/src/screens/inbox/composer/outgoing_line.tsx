/** A reply that is on its way to the service, or that it refused. */
import { session } from "../../../house/boot";
import { formatTime } from "../../../house/formats";
import { inbox as words } from "../../../messages/en/inbox";
import { Avatar } from "../../../parts/avatar";
import { Button } from "../../../parts/button";
import { Icon } from "../../../parts/icon";
import { Foreign } from "../../../parts/texts";
import { forget, type Outgoing, sendAnyway } from "./outgoing";
import "../../../styles/inbox.css";

export function OutgoingLine({ outgoing, onText }: { outgoing: Outgoing; onText: (text: string) => void }) {
  const { key, input, refusal, isLate, createdAt } = outgoing;
  const name = session.value?.person.name ?? words.you;
  const back = () => {
    forget(key);
    if (input.text) onText(input.text);
  };
  return (
    <li class="message" data-by="us" data-outgoing="">
      <div class="message-head">
        <Avatar name={name} />
        <strong>
          <Foreign>{name}</Foreign>
        </strong>
        <time dateTime={createdAt}>{formatTime(createdAt)}</time>
      </div>
      <div class="bubble">
        {input.text && (
          <p class="bubble-text">
            <Foreign>{input.text}</Foreign>
          </p>
        )}
        {input.attachments?.map((attachment, at) => (
          <span key={at} class="attachment">
            <Icon name="file-text" />
            <Foreign>{attachment.name ?? words.kinds.file}</Foreign>
          </span>
        ))}
      </div>
      <div class="message-state" data-state={refusal === null ? "sending" : "failed"}>
        <Icon name={refusal === null ? "clock" : "circle-alert"} size={14} />
        <span>{refusal === null ? words.states.sending : words.states.failed}</span>
        {refusal !== null && (
          <>
            <span class="message-why">{isLate ? words.answeredMeanwhile : refusal}</span>
            <Button look="quiet" small icon="undo-2" onClick={back}>
              {words.backToField}
            </Button>
            {isLate && (
              <Button look="quiet" small onClick={() => sendAnyway(outgoing)}>
                {words.sendAnyway}
              </Button>
            )}
          </>
        )}
      </div>
    </li>
  );
}
