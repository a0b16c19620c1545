/** Texts of strangers, times, secrets: what is shown on many screens in one way. */
import { signal } from "@preact/signals";
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useState } from "preact/hooks";
import { formatDate, formatFullTime, formatRelative } from "../house/formats";
import { messages } from "../messages/messages";
import { Button } from "./button";

/** A text that somebody typed: text everywhere, in its own direction, broken where it must be. */
export function Foreign({ children }: { children: string }) {
  return (
    <bdi class="foreign" dir="auto">
      {children}
    </bdi>
  );
}

/** The full time is written when it is asked for: a list has it many times over. */
function showFullTime({ currentTarget }: TargetedMouseEvent<HTMLTimeElement>): void {
  currentTarget.title = formatFullTime(currentTarget.dateTime);
}

const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 30_000);

/** How long ago or how far off, with the full time on hover and on focus. */
export function RelativeTime({ at, never = messages.common.never }: { at: string | null; never?: string }) {
  if (at === null) return <span class="soft">{never}</span>;
  return (
    <time dateTime={at} onMouseEnter={showFullTime}>
      {formatRelative(at, now.value)}
    </time>
  );
}

/** The day of *at*, with the full time on hover. */
export function DateOf({ at }: { at: string }) {
  return (
    <time dateTime={at} onMouseEnter={showFullTime}>
      {formatDate(at)}
    </time>
  );
}

/** A short word on a state, with a colour that says the same. */
export function Badge({ kind = "plain", children }: { kind?: "plain" | "good" | "warn" | "bad" | "accent"; children: ComponentChildren }) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}

/** A text with a button that copies it. *block* for snippets of several lines. */
export function Copy({ text, label, block = false }: { text: string; label: string; block?: boolean }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div class={block && text.includes("\n") ? "copy copy-block" : "copy"}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <code tabIndex={0} role="group" aria-label={label}>
        {text}
      </code>
      <Button small icon={copied ? "check" : "copy"} onClick={() => void copy()}>
        {copied ? messages.common.copied : messages.common.copy}
      </Button>
      <span class="hidden" role="status">
        {copied && messages.common.copied}
      </span>
    </div>
  );
}
