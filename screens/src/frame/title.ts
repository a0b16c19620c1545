/** The window's title: how much is new, what is shown, and whose it is. */
import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { organization } from "../house/boot";
import { messages, say } from "../messages/messages";

const shown = signal("");
/** How much is new, as it is written; empty for nothing. */
export const news = signal("");

effect(() => {
  const title = [shown.value, organization?.name].filter(Boolean).join(" · ");
  if (title) document.title = news.value ? say(messages.nav.titleWithCount, { count: news.value, title }) : title;
});

/** Have the window's title say *title*. */
export function useTitle(title: string): void {
  useEffect(() => {
    shown.value = title;
  }, [title]);
}
