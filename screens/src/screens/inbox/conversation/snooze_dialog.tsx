/** Until when to put a conversation off: one of the usual moments, or a day. */
import { useState } from "preact/hooks";
import { formatDateTime } from "../../../house/formats";
import { inbox } from "../../../messages/en/inbox";
import { inboxLater as words } from "../../../messages/en/inbox_later";
import { messages } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { Dialog } from "../../../parts/dialog";
import { morningOf, snoozeChoices } from "./snooze";
import "../../../styles/inbox.css";

interface SnoozeDialogProps {
  onSnooze: (until: string) => void;
  onClose: () => void;
}

export function SnoozeDialog({ onSnooze, onClose }: SnoozeDialogProps) {
  const [day, setDay] = useState("");
  const until = day ? morningOf(day) : null;
  return (
    <Dialog title={words.snooze.title} onClose={onClose}>
      <div class="snooze-choices">
        {snoozeChoices().map(({ key, until: at }, index) => (
          <button key={key} type="button" class="menu-item" autoFocus={index === 0} onClick={() => onSnooze(at)}>
            <span>{inbox.snoozeTo[key]}</span>
            <span class="soft">{formatDateTime(at)}</span>
          </button>
        ))}
      </div>
      <form
        class="form snooze-day"
        onSubmit={(event) => {
          event.preventDefault();
          if (until) onSnooze(until);
        }}
      >
        <div class="field">
          <label for="snooze-day">{words.snooze.day}</label>
          <input id="snooze-day" class="control" type="date" value={day} onInput={(event) => setDay(event.currentTarget.value)} />
          <p class="field-hint">{day && !until ? words.snooze.past : words.snooze.hint}</p>
        </div>
        <footer>
          <Button onClick={onClose}>{messages.common.cancel}</Button>
          <Button type="submit" look="solid" disabled={!until}>
            {inbox.snooze}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
