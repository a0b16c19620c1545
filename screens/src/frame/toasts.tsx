import { useEffect, useRef } from "preact/hooks";
import { dismissToast, TOAST_MS, type Toast, toasts } from "../house/toasts";
import { messages } from "../messages/messages";
import { Button } from "../parts/button";
import { Icon } from "../parts/icon";

/** The place of toasts; the frame has one. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((shown) => (
        <ToastLine key={shown.id} toast={shown} />
      ))}
    </div>
  );
}

function ToastLine({ toast: { id, text, kind, undo } }: { toast: Toast }) {
  const timer = useRef(0);
  const start = () => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => dismissToast(id), TOAST_MS);
  };
  const hold = () => clearTimeout(timer.current);
  useEffect(() => {
    start();
    return hold;
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: being over it does nothing but hold it.
    <div class={`toast toast-${kind}`} onMouseEnter={hold} onMouseLeave={start} onFocusCapture={hold} onBlurCapture={start}>
      <Icon name={kind === "done" ? "circle-check" : "circle-alert"} />
      <span class="foreign">{text}</span>
      {undo && (
        <Button
          small
          look="quiet"
          onClick={() => {
            dismissToast(id);
            undo();
          }}
        >
          {messages.common.undo} <kbd>Z</kbd>
        </Button>
      )}
      <Button small look="quiet" icon="x" label={messages.common.dismiss} onClick={() => dismissToast(id)} />
    </div>
  );
}
