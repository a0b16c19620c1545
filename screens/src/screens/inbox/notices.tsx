/** A sound and a notice of the desktop for what comes in while one looks elsewhere; asked for by a click alone. */
import { useEffect, useRef, useState } from "preact/hooks";
import { go, to } from "../../house/address";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { inbox as words } from "../../messages/en/inbox";
import { inboxLater } from "../../messages/en/inbox_later";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { type Conversation, isMe, nameOf } from "./shapes";

const PLACE = "svc-inbox-notices";
const NEWEST = 10;
const TONES_HZ = [660, 880] as const;
const TONE_SECONDS = 0.14;
const LOUDNESS = 0.08;

export function NoticesButton() {
  const [isOn, setOn] = useState(() => localStorage.getItem(PLACE) !== null && Notification.permission === "granted");
  const turn = async () => {
    if (isOn) {
      localStorage.removeItem(PLACE);
      return setOn(false);
    }
    if ((await Notification.requestPermission()) !== "granted") return toast(inboxLater.notices.refused, { kind: "failed" });
    localStorage.setItem(PLACE, "1");
    setOn(true);
    ring();
  };
  return (
    <>
      <Button look="quiet" icon={isOn ? "bell-ring" : "bell"} label={inboxLater.notices.on} pressed={isOn} onClick={() => void turn()} />
      {isOn && <Listener />}
    </>
  );
}

/** Tells of messages in conversations that are this person's or nobody's yet, while the page is not looked at. */
function Listener() {
  const { answer } = useAnswer("conversation.list", { status: "open", limit: NEWEST });
  const known = useRef<ReadonlyMap<string, string> | null>(null);
  useEffect(() => {
    if (!answer) return;
    const before = known.current;
    const incoming = answer.conversations.filter(({ last }) => last?.direction === "in");
    known.current = new Map(incoming.map(({ id, last }) => [id, last?.at ?? ""]));
    if (before === null || document.hasFocus()) return;
    const concerns = ({ memberId }: Conversation) => memberId === null || isMe(memberId);
    const fresh = incoming.filter((one) => concerns(one) && (one.last?.at ?? "") > newestOf(before) && before.get(one.id) !== one.last?.at);
    for (const one of fresh) show(one);
    if (fresh.length > 0) ring();
  }, [answer]);
  return null;
}

const newestOf = (known: ReadonlyMap<string, string>): string =>
  [...known.values()].reduce((one, other) => (one > other ? one : other), "");

function show(conversation: Conversation): void {
  // The tag has the notices of one conversation replace each other, also those of other tabs.
  const notice = new Notification(say(inboxLater.noticeTitle, { name: nameOf(conversation) }), {
    body: conversation.last?.text ?? words.attachment,
    tag: conversation.id,
  });
  notice.onclick = () => {
    window.focus();
    void go(to(`/app/inbox/${conversation.id}`));
    notice.close();
  };
}

/** Two short tones, made here: no file is fetched for them. */
function ring(): void {
  const context = new AudioContext();
  for (const [at, frequency] of TONES_HZ.entries()) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    const start = context.currentTime + at * TONE_SECONDS;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(LOUDNESS, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_SECONDS);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
    tone.onended = () => at === TONES_HZ.length - 1 && void context.close();
  }
}
