/** The third column: whom a conversation is with, what is known of them, and what else they wrote. */
import { Fragment } from "preact";
import { to } from "../../../house/address";
import { may } from "../../../house/boot";
import { useAnswer } from "../../../house/queries";
import { inbox } from "../../../messages/en/inbox";
import { inboxLater } from "../../../messages/en/inbox_later";
import { Avatar } from "../../../parts/avatar";
import { Button } from "../../../parts/button";
import { Icon } from "../../../parts/icon";
import { later } from "../../../parts/later";
import { Foreign, RelativeTime } from "../../../parts/texts";
import { type ConversationDetails, messengerOf, nameOf } from "../shapes";
import "../../../styles/inbox.css";

const words = inboxLater.contact;
const OTHERS = 5;

const Match = later(async () => (await import("./match")).Match);

export function ContactColumn({ conversationId, onClose }: { conversationId: string; onClose: () => void }) {
  const { answer: conversation, isOld } = useAnswer("conversation.get", { id: conversationId });
  if (!conversation || isOld) return null;
  const name = nameOf(conversation);
  return (
    <aside class="inbox-contact" aria-label={words.label}>
      <header>
        <Avatar name={name} of={conversation.kind === "group" ? "organization" : "person"} />
        <div>
          <h2>
            <Foreign>{name}</Foreign>
          </h2>
          {conversation.kind === "group" && <span class="soft">{words.group}</span>}
        </div>
        <Button look="quiet" icon="x" label={inbox.hideDetails} onClick={onClose} />
      </header>
      <Match isWanted={conversation.heldReason !== null} key={conversation.id} conversation={conversation} />
      {conversation.contactId !== null && may("records.read") && <Known contactId={conversation.contactId} />}
      <Told of={conversation} />
      {conversation.contactId !== null && <Others contactId={conversation.contactId} conversationId={conversation.id} />}
    </aside>
  );
}

/** The contact's own values, those that are filled, as its page has them. */
function Known({ contactId }: { contactId: string }) {
  const { answer: object } = useAnswer("object.get", { objectType: "contact" });
  const { answer: record } = useAnswer("record.get", { objectType: "contact", id: contactId, texts: true });
  if (!object || !record) return null;
  const filled = object.properties.flatMap(({ slug, label }) => {
    const value = record.texts?.[slug] ?? record.properties[slug];
    return typeof value === "string" && value && slug !== "name" ? [{ slug, label, value }] : [];
  });
  return (
    <section>
      <h3>{words.title}</h3>
      <dl class="facts">
        {filled.map(({ slug, label, value }) => (
          <Fragment key={slug}>
            <dt>
              <Foreign>{label}</Foreign>
            </dt>
            <dd>
              <Foreign>{value}</Foreign>
            </dd>
          </Fragment>
        ))}
      </dl>
      <a class="contact-open" href={to(`/app/records/contact/${contactId}`)}>
        {words.openRecord} <Icon name="arrow-right" size={14} />
      </a>
    </section>
  );
}

/** What the messenger tells of the person at the other end. */
function Told({ of: conversation }: { of: ConversationDetails }) {
  const { known, connectionName } = conversation;
  const told = (["name", "phone", "email", "username"] as const).flatMap((member) => {
    const value = known[member];
    return value ? [{ member, value }] : [];
  });
  return (
    <section>
      <h3>{words.told}</h3>
      <dl class="facts">
        <dt>{words.channel}</dt>
        <dd>
          {messengerOf(conversation)} · <Foreign>{connectionName}</Foreign>
        </dd>
        {told.map(({ member, value }) => (
          <Fragment key={member}>
            <dt>{words[member]}</dt>
            <dd>
              <Foreign>{value}</Foreign>
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

function Others({ contactId, conversationId }: { contactId: string; conversationId: string }) {
  const { answer } = useAnswer("conversation.list", { contactId, limit: OTHERS + 1 });
  const others = answer?.conversations.filter(({ id }) => id !== conversationId).slice(0, OTHERS) ?? [];
  if (others.length === 0) return null;
  return (
    <section>
      <h3>{words.others}</h3>
      <ul class="contact-others">
        {others.map(({ id, messenger, last, lastMessageAt }) => (
          <li key={id}>
            <a href={to(`/app/inbox/${id}`)}>{messengerOf({ messenger })}</a>
            <span class="soft one-line">{last?.text && <Foreign>{last.text}</Foreign>}</span>
            <span class="soft">
              <RelativeTime at={lastMessageAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
