/** What the inbox shows, as its tools answer it. */
import { session } from "../../house/boot";
import type { Answer } from "../../house/tools";
import { inbox as words } from "../../messages/en/inbox";
import { messengerNames } from "../../messages/en/messenger_names";

export type Conversation = Answer<"conversation.list">["conversations"][number];
export type ConversationDetails = Answer<"conversation.get">;
export type Message = Answer<"message.list">["messages"][number];
export type Attachment = Message["attachments"][number];
export type Member = Answer<"member.list">["members"][number];

/** What a conversation is called: its contact, what the messenger tells of the person, or the group's title. */
export function nameOf({ contactName, title, known }: Conversation): string {
  return contactName || title || known.name || known.username || known.phone || known.email || words.noName;
}

export const isMe = (personId: string | null): boolean => personId !== null && personId === session.peek()?.person.id;

export const messengerOf = ({ messenger }: Pick<Conversation, "messenger">): string =>
  messenger === "other" ? words.otherMessenger : messengerNames[messenger];
