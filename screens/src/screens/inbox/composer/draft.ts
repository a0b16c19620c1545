/**
 * The text that is being written in a conversation. The service keeps it for each person, so it is there in another browser
 * too; what it does not have yet is kept in this one, so a reload or a restart of the service loses nothing.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { session } from "../../../house/boot";
import { whenBack } from "../../../house/returning";
import { read, write } from "../../../house/tools";

const PAUSE_MS = 500;
/** While somebody goes on typing it is saved as often. */
const AT_LATEST_MS = 2_000;

export interface DraftText {
  text: string;
  set: (text: string) => void;
  /**
   * What was written is sent: the reply takes the service's copy with it. Resolves when no copy is on its way any more, so
   * that none comes there after the reply.
   */
  take: () => Promise<void>;
  /** `kept`: the service has it. `here`: this browser alone. */
  state: "kept" | "here" | null;
  /** What another window of this person has written meanwhile; null where that is the same. */
  theirs: string | null;
}

const placeOf = (conversationId: string): string => `svc-reply-${session.peek()?.person.id ?? ""}-${conversationId}`;

/** Edit the draft of a conversation, whose *stored* text is undefined until it is known. */
export function useDraftText(conversationId: string, stored: string | null | undefined): DraftText {
  const unsaved = useRef<string | null>(localStorage.getItem(placeOf(conversationId)));
  const [text, setText] = useState(unsaved.current ?? stored ?? "");
  const [isHere, setHere] = useState(unsaved.current !== null);
  const [theirs, setTheirs] = useState<string | null>(null);
  // What the service has, as far as is known here.
  const base = useRef(stored ?? "");
  const timer = useRef(0);
  const dueBy = useRef(0);
  const saving = useRef<{ text: string; done: Promise<void> } | null>(null);

  const save = () => {
    clearTimeout(timer.current);
    const wanted = unsaved.current;
    if (wanted === null || saving.current) return;
    dueBy.current = 0;
    saving.current = { text: wanted, done: store(wanted) };
  };
  const store = async (wanted: string) => {
    const result = await write("conversation.draft", { id: conversationId, text: wanted || null }, { isQuiet: true });
    saving.current = null;
    if (!result.ok) return setHere(true);
    base.current = wanted;
    if (unsaved.current === null) return undefined; // It was sent meanwhile.
    if (unsaved.current !== wanted) return save(); // More was typed.
    unsaved.current = null;
    localStorage.removeItem(placeOf(conversationId));
    setHere(false);
    return setTheirs(null);
  };
  const set = (next: string) => {
    setText(next);
    unsaved.current = next;
    localStorage.setItem(placeOf(conversationId), next);
    const now = performance.now();
    dueBy.current ||= now + AT_LATEST_MS;
    clearTimeout(timer.current);
    timer.current = window.setTimeout(save, Math.max(0, Math.min(PAUSE_MS, dueBy.current - now)));
  };
  const take = async () => {
    clearTimeout(timer.current);
    unsaved.current = null;
    localStorage.removeItem(placeOf(conversationId));
    setText("");
    setTheirs(null);
    setHere(false);
    await saving.current?.done;
    base.current = "";
  };
  /** What came may be older than what was saved since: ask once more before it replaces anything. */
  const follow = async () => {
    const now = await read("conversation.get", { id: conversationId });
    const newer = now.ok ? (now.answer.draft?.text ?? "") : base.current;
    if (newer === base.current || newer === saving.current?.text) return;
    if (unsaved.current === null) {
      base.current = newer;
      setText(newer);
    } else if (newer !== unsaved.current && newer !== "") setTheirs(newer);
  };

  useEffect(() => {
    if (stored !== undefined && (stored ?? "") !== base.current) void follow();
  }, [stored]);
  useEffect(() => {
    const atOnce = () => save();
    const stop = whenBack(atOnce);
    document.addEventListener("visibilitychange", atOnce);
    save();
    return () => {
      stop();
      document.removeEventListener("visibilitychange", atOnce);
      save();
    };
  }, []);
  const state = text === "" ? null : isHere ? "here" : "kept";
  return { text, set, take, state, theirs };
}
