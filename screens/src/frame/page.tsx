/** The head of a screen: where one is, its name, and what can be done here. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect } from "preact/hooks";
import { address, keptPlace } from "../house/address";
import { messages } from "../messages/messages";
import { Skeleton } from "../parts/states";
import { Foreign } from "../parts/texts";
import { useTitle } from "./title";

export interface Crumb {
  label: string;
  href: string;
}

const RESTORING_MS = 3_000;

interface PageProps {
  title: string;
  /** What leads here, the first first. */
  crumbs?: readonly (Crumb | string)[];
  /** A sentence on what it is for. */
  about?: ComponentChildren;
  /** Buttons; the one thing to do here is the last. */
  actions?: ComponentChildren;
  children: ComponentChildren;
  /** A list that uses the whole width; else text is kept to a width that reads well. */
  wide?: boolean;
  panel?: ComponentChildren;
  /** A face or a sign before the title. */
  mark?: ComponentChildren;
}

export function Page({ title, crumbs = [], about, actions, children, wide = false, panel, mark }: PageProps) {
  useTitle(title);
  useArrival();
  return (
    <div class={panel ? "page page-panel" : "page"}>
      <div class={wide ? "page-body page-wide" : "page-body"}>
        <header class="page-head">
          {crumbs.length > 0 && (
            <nav class="crumbs" aria-label={messages.nav.breadcrumb}>
              <ol>
                {crumbs.map((crumb) => (
                  <li key={typeof crumb === "string" ? crumb : crumb.href}>
                    {typeof crumb === "string" ? crumb : <a href={crumb.href}>{<Foreign>{crumb.label}</Foreign>}</a>}
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <div class="page-title">
            <div class="page-name">
              {mark}
              <h1 tabIndex={-1} id="title">
                <Foreign>{title}</Foreign>
              </h1>
            </div>
            {actions && <div class="page-actions">{actions}</div>}
          </div>
          {about && <p class="page-about">{about}</p>}
        </header>
        {children}
      </div>
      {panel}
    </div>
  );
}

/** A screen as high as the window, whose parts scroll by themselves; its heading, with the id `title`, is in one of them. */
export function FullPage({ title, children }: Pick<PageProps, "title" | "children">) {
  useTitle(title);
  useArrival();
  return <div class="page-full">{children}</div>;
}

/** A page of which nothing is known yet. */
export function PageSkeleton() {
  return (
    <div class="page-body page-wide">
      <Skeleton head="page" />
    </div>
  );
}

/** What is shown now; the address may be ahead of it while the next screen is on its way. */
export const ShownThing = createContext("");

let arrived = "";

/** Put scroll and focus where they belong, once for each time that a thing is come to, and after each Back. */
function useArrival(): void {
  const thing = useContext(ShownThing);
  const now = address.value;
  useLayoutEffect(() => {
    if (now.by === "back") return restore();
    if (now.by === "link" && thing !== arrived) {
      window.scrollTo(0, 0);
      document.getElementById("title")?.focus({ preventScroll: true });
    }
    arrived = thing;
    return undefined;
  }, [thing, now.by === "back" ? now : null]);
}

/** Return to what the entry of the history kept; what was in sight then may still be on its way. */
function restore(): (() => void) | undefined {
  const { scroll, focus } = keptPlace();
  const settle = () => {
    window.scrollTo(0, scroll);
    const element = focus ? document.getElementById(focus) : null;
    element?.focus({ preventScroll: true });
    return Math.abs(window.scrollY - scroll) < 2 && (!focus || element !== null);
  };
  if (settle()) return undefined;
  const watch = new MutationObserver(() => settle() && watch.disconnect());
  watch.observe(document.body, { childList: true, subtree: true });
  const stop = setTimeout(() => watch.disconnect(), RESTORING_MS);
  return () => {
    clearTimeout(stop);
    watch.disconnect();
  };
}
