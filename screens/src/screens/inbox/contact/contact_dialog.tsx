/** Say that a conversation is with another contact than it says. */
import { useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { toast } from "../../../house/toasts";
import { read, write } from "../../../house/tools";
import { inboxLater } from "../../../messages/en/inbox_later";
import { say } from "../../../messages/messages";
import { Combobox, type Option } from "../../../parts/combobox";
import { FormDialog } from "../../../parts/form_dialog";
import { type ConversationDetails, nameOf } from "../shapes";

const words = inboxLater.merge;
const FOUND = 8;
const SEARCH_FROM = 2;

export function ContactDialog({ conversation, onClose }: { conversation: ConversationDetails; onClose: () => void }) {
  const [contact, setContact] = useState<Option | null>(null);
  const act = useAct(async () => {
    const result = await write("conversation.assign", { id: conversation.id, contactId: contact?.id ?? "" });
    if (result.ok) {
      toast(inboxLater.match.attached);
      onClose();
    }
    return result;
  });
  return (
    <FormDialog title={words.title} act={act} submit={words.submit} onClose={onClose} disabled={contact === null}>
      <p class="prose">{say(words.body, { name: nameOf(conversation) })}</p>
      <Combobox label={words.contact} pointer="/contactId" value={contact} onValue={setContact} find={find} />
    </FormDialog>
  );
}

async function find(text: string): Promise<Option[]> {
  const found =
    text.trim().length < SEARCH_FROM
      ? await read("record.list", { objectType: "contact", limit: FOUND })
      : await read("record.search", { query: text, objectType: "contact", limit: FOUND });
  if (!found.ok) return [];
  return found.answer.records.map(({ id, properties }) => ({
    id,
    label: typeof properties.name === "string" && properties.name ? properties.name : inboxLater.match.noName,
    note: [properties.email, properties.phone].filter((value) => typeof value === "string" && value).join(" · "),
  }));
}
