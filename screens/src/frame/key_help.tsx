import { useRef } from "preact/hooks";
import { activeKeys, keysAreOn, switchKeys } from "../house/keys";
import { messages } from "../messages/messages";
import { Dialog } from "../parts/dialog";
import { SwitchField } from "../parts/field";
import { isMac } from "./navigation";

const words = messages.keys;

/** Whether *key* is one of the frame: those of the screen are listed first. */
const isEverywhere = (key: string) => key.includes(" ") || ["z", "?", "Escape"].includes(key);

/** The list of keys that work here, and the switch that turns single ones off. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  // As they were when it was opened: a key that a later layer has taken over is listed once.
  const keys = useRef(
    activeKeys()
      .filter((key, at, all) => all.findIndex((other) => other.key === key.key) === at)
      .sort((one, other) => Number(isEverywhere(one.key)) - Number(isEverywhere(other.key))),
  ).current;
  return (
    <Dialog title={words.title} onClose={onClose}>
      <dl class="key-list">
        <div>
          <dt>{words.palette}</dt>
          <dd>
            <kbd>{isMac ? "⌘" : "Ctrl"}</kbd> <kbd>K</kbd>
          </dd>
        </div>
        {keys.map((key) => (
          <div key={key.key}>
            <dt>{key.label}</dt>
            <dd>
              {key.key.split(" ").map((part, at) => (
                <>
                  {at > 0 && ` ${words.between} `}
                  <kbd>{part.length === 1 ? part.toUpperCase() : part === "Escape" ? "Esc" : part}</kbd>
                </>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <SwitchField label={words.on} hint={words.onHint} on={keysAreOn.value} onValue={switchKeys} />
    </Dialog>
  );
}
