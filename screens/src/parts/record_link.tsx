import { to } from "../house/address";
import { may } from "../house/boot";
import { useAnswer } from "../house/queries";
import { messages } from "../messages/messages";
import { Foreign } from "./texts";

interface RecordLinkProps {
  id: string;
  /** Without a link: where all of it is one already, or names what is gone. */
  bare?: boolean;
}

/** A record by its name, which leads to its page. Where the person may not see records, it says only that there is one. */
export function RecordLink(props: RecordLinkProps) {
  return may("records.read") ? <Named {...props} /> : <span class="soft">{messages.records.hidden}</span>;
}

function Named({ id, bare = false }: RecordLinkProps) {
  const { answer, problem } = useAnswer("record.get", { id, fields: ["name"] });
  if (problem?.code === "not_found") return <span class="soft">{messages.records.gone}</span>;
  if (!answer) return <span class="soft">…</span>;
  const { name } = answer.properties;
  const text = typeof name === "string" && name ? name : messages.records.noName;
  if (bare) return <Foreign>{text}</Foreign>;
  return (
    <a href={to(`/app/records/${answer.objectType}/${answer.id}`)}>
      <Foreign>{text}</Foreign>
    </a>
  );
}
