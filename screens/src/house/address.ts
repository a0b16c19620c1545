/**
 * The address is the state: path, filter, sort, search, open panel and tab are in it, so Back, a reload and a
 * link that is sent to a colleague show the same. Each entry of the history keeps its scroll and its focus.
 */
import { signal } from "@preact/signals";
import { organization, session } from "./boot";
import { hasUnsavedWork } from "./unsaved";

export interface Address {
  /** Without the trailing slash, except `/app/` itself. */
  path: string;
  /** With its `?`, and with `org`. */
  search: string;
  /** How the page came there: `back` restores what the entry kept. */
  by: "load" | "link" | "change" | "back";
}

interface Kept {
  index: number;
  scroll?: number;
  /** `id` of the element that had the focus. */
  focus?: string;
}

/** Changes of the query that only say it differently (`replace`) do not make an entry. */
interface Way {
  replace?: boolean;
  /** What was typed is stored: leaving loses nothing, so nobody is asked. */
  saved?: boolean;
}

function here(by: Address["by"]): Address {
  const path = location.pathname.length > 5 ? location.pathname.replace(/\/+$/, "") : "/app/";
  return { path, search: location.search, by };
}

export const address = signal<Address>(here("load"));
/** The path of the screen that is on its way, and of the one that is shown when none is. */
export const goal = signal(address.peek().path);
/** Gets the next screen ready while the one before is still shown; the frame sets it. */
export const arriving = { prepare: async (_next: Address): Promise<void> => undefined };
/** Whether there is a screen at a path, and the person may see it; the frame sets it, since it knows the screens. */
export const screens = { has: (_path: string): boolean => false };
/** Asks whether to leave unsaved work; the frame sets it, with a dialog. */
export const leaving = { ask: async (): Promise<boolean> => true };

let keeping = 0;
let current: Kept = (history.state as Kept | null) ?? { index: 0 };
let passing: "returns" | "leaves" | null = null;
history.scrollRestoration = "manual";
history.replaceState(current, "");

/** *path* with *query*, and with the organization where it is not the person's home. */
export function to(path: string, query: Record<string, string | null | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  if (organization && session.value && organization.id !== session.value.person.homeOrganizationId) {
    search.set("org", organization.id);
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

/** Go to *href*, an own address made by `to`. Resolves to false where unsaved work kept the person. */
export async function go(href: string, { replace = false, saved = false }: Way = {}): Promise<boolean> {
  const url = new URL(href, location.href);
  if (url.origin !== location.origin || !isScreen(url.pathname) || isOtherOrganization(url)) {
    leaveFor(href);
    return true;
  }
  if (!saved && leaves(url) && hasUnsavedWork() && !(await leaving.ask())) return false;
  keepPlace();
  current = { index: current.index + (replace ? 0 : 1) };
  history[replace ? "replaceState" : "pushState"](current, "", url);
  await arrive(here(url.pathname === address.peek().path ? "change" : "link"));
  return true;
}

let coming: Address | null = null;

/** Show *next*: at once where the screen stays the same, else when it is ready, unless the person has gone on. */
function arrive(next: Address): Promise<void> | undefined {
  coming = next;
  goal.value = next.path;
  const show = () => {
    if (coming !== next) return;
    coming = null;
    address.value = next;
  };
  return next.path === address.peek().path ? void show() : arriving.prepare(next).then(show);
}

/** Set parameters of the address; null takes one away. */
export function setParameters(changes: Record<string, string | null>, way: Way = {}): void {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") search.delete(name);
    else search.set(name, value);
  }
  const text = search.toString();
  void go(location.pathname + (text ? `?${text}` : ""), way);
}

/** Have a reload ask for the page without the parameter *name*; what is shown stays. */
export function dropOnReload(name: string): void {
  const url = new URL(location.href);
  url.searchParams.delete(name);
  history.replaceState(history.state, "", url);
}

/** The parameter *name* of the address; reading it in a component renders that anew when it changes. */
export function parameter(name: string): string | null {
  return new URLSearchParams(address.value.search).get(name);
}

/** Leave the program: for the sign-in, for another organization, for a page of the documentation. */
export function leaveFor(href: string): void {
  location.assign(href);
}

/** What the entry kept, once: for the screen that has just been drawn. */
export function keptPlace(): { scroll: number; focus: string | undefined } {
  return { scroll: current.scroll ?? 0, focus: current.focus };
}

function isScreen(path: string): boolean {
  return path.startsWith("/app/") && !path.startsWith("/app/api/") && !path.startsWith("/app/static/");
}

/** Whether *url* needs a page of its own: the organization is that of the page. */
function isOtherOrganization(url: URL): boolean {
  const home = session.peek()?.person.homeOrganizationId;
  return (url.searchParams.get("org") ?? home) !== (organization?.id ?? home);
}

/** Whether *url* is another screen, or another tab of this one: what is typed here would be gone. */
function leaves(url: URL): boolean {
  const { path, search } = address.peek();
  return url.pathname !== path || url.searchParams.get("tab") !== new URLSearchParams(search).get("tab");
}

function keepPlace(): void {
  clearTimeout(keeping);
  const focus = document.activeElement?.id;
  current = { index: current.index, scroll: window.scrollY, ...(focus && { focus }) };
  history.replaceState(current, "");
}

window.addEventListener(
  "scroll",
  () => {
    clearTimeout(keeping);
    if (!coming) keeping = window.setTimeout(keepPlace, 100);
  },
  { passive: true },
);

window.addEventListener("popstate", async (event) => {
  const entry = (event.state as Kept | null) ?? { index: 0 };
  clearTimeout(keeping);
  if (passing === "returns") {
    passing = null;
    return;
  }
  if (passing === null && leaves(new URL(location.href)) && hasUnsavedWork()) {
    // The browser has gone already: return to the work, ask, and go once more if it may be left.
    const step = entry.index - current.index || -1;
    passing = "returns";
    history.go(-step);
    if (await leaving.ask()) {
      passing = "leaves";
      history.go(step);
    }
    return;
  }
  passing = null;
  current = entry;
  void arrive(here("back"));
});

// Every link of the page, whichever component drew it.
document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest("a");
  if (!link?.href || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || !isScreen(url.pathname) || url.hash) return;
  event.preventDefault();
  void go(url.href);
});
