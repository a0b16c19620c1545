/** What the connection's agent does in a conversation: it answers, or why it is silent; taken over and handed back here. */
import { session } from "../../../house/boot";
import { useAnswer } from "../../../house/queries";
import { inbox } from "../../../messages/en/inbox";
import { inboxLater } from "../../../messages/en/inbox_later";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { Icon } from "../../../parts/icon";
import { Foreign } from "../../../parts/texts";
import type { ConversationDetails } from "../shapes";
import { assign, handBack } from "./acts";
import "../../../styles/inbox.css";

const words = inboxLater.agentPart;

/** Nothing where no agent has ever had a part in the conversation. */
export function AgentPart({ conversation }: { conversation: ConversationDetails }) {
  const { id, agent, silence } = conversation;
  const { answer } = useAnswer("agent.run_list", { conversationId: id, limit: 1 });
  const hasPart = (answer?.runs.length ?? 0) > 0 || silence?.by === "handed_over";
  if (!hasPart) return null;
  const takeOver = () => void assign(conversation, { memberId: session.value?.person.id ?? "" }, inbox.you);
  return (
    <div class="agent-part">
      <Icon name="sparkles" />
      <p>
        {agent === "on" ? words.on : silence ? words.silenced[silence.by] : null}
        {silence?.reason && (
          <>
            {" "}
            <Foreign>{say(words.because, { reason: silence.reason })}</Foreign>
          </>
        )}
      </p>
      {agent === "on" ? (
        <Button small onClick={takeOver}>
          {words.takeOver}
        </Button>
      ) : (
        <Button small look="quiet" onClick={() => void handBack(conversation)}>
          {inbox.handBack}
        </Button>
      )}
    </div>
  );
}
