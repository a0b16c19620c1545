import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

/** What a way in looks like: one card in the middle. */
export function Card({
  title,
  about,
  children,
  below,
}: {
  title: string;
  about?: ComponentChildren;
  children: ComponentChildren;
  below?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div class="card-way-in">
      <img class="mark" src="/docs/icon.svg" width="40" height="40" alt="" />
      <h1>{title}</h1>
      {about && <p class="soft">{about}</p>}
      {children}
      {below && <p class="card-below soft">{below}</p>}
    </div>
  );
}

/** Take the secret out of the address, where it stands after `#`: no log, no history and no Referer has it. */
export function takeToken(): string {
  const token = location.hash.slice(1);
  if (token) history.replaceState(history.state, "", location.pathname + location.search);
  // Another link of the same kind, opened in this tab, differs after `#` alone: browsers do not load the page again for that.
  addEventListener("hashchange", () => location.hash.length > 1 && location.reload());
  return token;
}
