/** What is done with a conversation as a whole: each at once, with its way back. */
import { formatDateTime } from "../../../house/formats";
import type { Result } from "../../../house/problems";
import { toast } from "../../../house/toasts";
import { type Input, write } from "../../../house/tools";
import { toastWithUndo } from "../../../house/undo";
import { inbox as words } from "../../../messages/en/inbox";
import { say } from "../../../messages/messages";
import type { ConversationDetails } from "../shapes";

function told<T>(result: Result<T>): T | null {
  if (result.ok) return result.answer;
  toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
  return null;
}

/** True once it is closed. */
export async function close({ id }: ConversationDetails): Promise<boolean> {
  if (!told(await write("conversation.close", { id }))) return false;
  toastWithUndo(words.closed, () => write("conversation.reopen", { id }));
  return true;
}

export async function reopen({ id }: ConversationDetails): Promise<void> {
  if (told(await write("conversation.reopen", { id }))) toastWithUndo(words.reopened, () => write("conversation.close", { id }));
}

/** Put it off *until*, or no longer; true once it is stored. */
export async function snooze({ id, snoozedUntil }: ConversationDetails, until: string | null): Promise<boolean> {
  if (!told(await write("conversation.snooze", { id, until }))) return false;
  const text = until === null ? words.woken : say(words.snoozed, { when: formatDateTime(until) });
  toastWithUndo(text, () => write("conversation.snooze", { id, until: snoozedUntil }));
  return true;
}

type Assignment = Pick<Input<"conversation.assign">, "memberId" | "teamId">;

/** Have a member or a team look after it; *name* is what is told of them. */
export async function assign({ id, memberId, teamId }: ConversationDetails, to: Assignment, name: string | null): Promise<void> {
  if (!told(await write("conversation.assign", { id, ...to }))) return;
  const text = name === null ? words.unassignedNow : say(words.assignedTo, { name });
  toastWithUndo(text, () => write("conversation.assign", { id, memberId, teamId }));
}

/** Let the agent answer again. */
export async function handBack({ id }: ConversationDetails): Promise<void> {
  if (told(await write("conversation.agent_resume", { id }))) toast(words.handedBack);
}
