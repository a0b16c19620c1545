/** The inbox: conversations, one of them, and its contact; side by side on a desk, one at a time on a phone. */
import { useEffect, useState } from "preact/hooks";
import { FullPage } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { parameter, setParameters, to } from "../../house/address";
import { useLongList } from "../../house/long_lists";
import { useAnswer } from "../../house/queries";
import { inbox as words } from "../../messages/en/inbox";
import { later } from "../../parts/later";
import { Empty, Skeleton } from "../../parts/states";
import { PEOPLE } from "../../questions";
import { ConversationList } from "./list";
import { nameOf } from "./shapes";
import { whichHere } from "./views";
import "../../styles/inbox.css";

const Conversation = later(async () => (await import("./conversation/conversation")).Conversation);
const ContactColumn = later(async () => (await import("./contact/contact")).ContactColumn);
const NoticesButton = later(async () => (await import("./notices")).NoticesButton);

const CONTACT_SHOWN = "svc-inbox-contact";
/** Narrower, the contact stands over the conversation, and only when it is asked for. */
const IS_WIDE = "(min-width: 75.01rem)";

export default function Inbox({ params }: ScreenProps) {
  const openId = params.conversation ?? null;
  const list = useLongList("conversation.list", "conversations", whichHere());
  const members = useAnswer(PEOPLE.tool, PEOPLE.input).answer?.members ?? [];
  const [isShown, setShown] = useContactShown();
  const query = { view: parameter("view"), q: parameter("q") };
  const backTo = to("/app/inbox", query);
  const memberName = (id: string) => {
    const member = members.find((one) => one.id === id);
    return member ? member.name || member.email : null;
  };
  const rows = list.state.value.answer?.rows ?? [];
  const open = rows.find(({ id }) => id === openId);
  const nextTo = () => {
    const now = list.state.peek().answer?.rows ?? [];
    const at = now.findIndex(({ id }) => id === openId);
    const next = now[at + 1] ?? now[at - 1];
    return next && at >= 0 ? to(`/app/inbox/${next.id}`, query) : backTo;
  };
  return (
    <FullPage title={open ? nameOf(open) : words.title}>
      <div class="inbox" data-open={openId ? "" : undefined} data-contact={openId && isShown ? "" : undefined}>
        <ConversationList
          list={list}
          openId={openId}
          memberName={memberName}
          actions={<NoticesButton isWanted={"Notification" in window} />}
        />
        <section class="inbox-conversation" aria-label={words.messages}>
          {openId ? (
            <Conversation
              isWanted
              meanwhile={<Skeleton lines={6} height={64} />}
              id={openId}
              members={members}
              nextTo={nextTo}
              backTo={backTo}
              contactIsOpen={isShown}
              onContact={() => setShown(!isShown)}
            />
          ) : (
            rows.length > 0 && (
              <Empty icon="inbox" title={words.pickTitle}>
                {words.pickBody}
              </Empty>
            )
          )}
        </section>
        <ContactColumn isWanted={openId !== null && isShown} conversationId={openId ?? ""} onClose={() => setShown(false)} />
      </div>
    </FullPage>
  );
}

/** On a desk as this browser had it last; where there is little room it is in the address, so that Back closes it. */
function useContactShown(): [boolean, (shown: boolean) => void] {
  const [isWide, setWide] = useState(() => matchMedia(IS_WIDE).matches);
  const [isKept, setKept] = useState(() => localStorage.getItem(CONTACT_SHOWN) !== "0");
  useEffect(() => {
    const watch = matchMedia(IS_WIDE);
    const look = () => setWide(watch.matches);
    watch.addEventListener("change", look);
    return () => watch.removeEventListener("change", look);
  }, []);
  const set = (shown: boolean) => {
    if (!isWide) return setParameters({ part: shown ? "contact" : null });
    setKept(shown);
    localStorage.setItem(CONTACT_SHOWN, shown ? "1" : "0");
  };
  return [isWide ? isKept : parameter("part") === "contact", set];
}
