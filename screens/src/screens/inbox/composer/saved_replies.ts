/** Saved replies, with their fields filled in for a conversation. */
import { useEffect } from "preact/hooks";
import { queryOf } from "../../../house/queries";
import type { Answer } from "../../../house/tools";

export type Template = Answer<"reply_template.list">["templates"][number];

/** All saved replies, once they are wanted. */
export function useTemplates(conversationId: string, isWanted: boolean): readonly Template[] | undefined {
  const query = isWanted ? queryOf("reply_template.list", { conversationId }) : null;
  useEffect(() => query?.hold(), [query]);
  return query?.state.value.answer?.templates;
}

/** What is put into a reply. */
export const textOf = ({ filled, text }: Template): string => filled ?? text;
