/** The head of a screen: where one is, its name, and what can be done here. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { address, keptPlace } from "../house/address";
import { organization } from "../house/boot";
import { messages } from "../messages/messages";
import { Foreign } from "../parts/texts";

export interface Crumb {
  label: string;
  href: string;
}

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
}

export function Page({ title, crumbs = [], about, actions, children, wide = false, panel }: PageProps) {
  useEffect(() => {
    document.title = [title, organization?.name].filter(Boolean).join(" · ");
  }, [title]);
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
            <h1 tabIndex={-1} id="title">
              <Foreign>{title}</Foreign>
            </h1>
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

let arrived = "";

/** Put scroll and focus where they belong, once for each time that a screen is come to. */
function useArrival(): void {
  const { path, by } = address.value;
  useLayoutEffect(() => {
    const visit = `${path} ${history.state?.index ?? 0}`;
    if (visit === arrived || by === "change") return undefined;
    arrived = visit;
    if (by === "load") return undefined;
    if (by === "link") {
      window.scrollTo(0, 0);
      document.getElementById("title")?.focus({ preventScroll: true });
      return undefined;
    }
    // Back: what was in sight may still be on its way.
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
    const stop = setTimeout(() => watch.disconnect(), 3_000);
    return () => {
      clearTimeout(stop);
      watch.disconnect();
    };
  }, [path, by]);
}
