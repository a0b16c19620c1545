/** The whole page: navigation, the screen of the address, and what stands over it. */
import { signal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address, go, leaveFor, leaving, to } from "../house/address";
import { may, organization, session } from "../house/boot";
import { useKeys } from "../house/keys";
import { isLive } from "../house/live";
import { ownProblem, type Problem } from "../house/problems";
import { send } from "../house/requests";
import { whenBack } from "../house/returning";
import { undoLast } from "../house/toasts";
import { messages, say } from "../messages/messages";
import { ask, Questions } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Icon } from "../parts/icon";
import { later } from "../parts/later";
import { PLACES } from "../places";
import { load, screenOf } from "./arrival";
import { Boundary } from "./boundary";
import { addressOf, isSettings, labelOf, type Match, placeAt, settingsStart } from "./match";
import { Bar, SideNavigation } from "./navigation";
import { NewsInTitle } from "./news";
import { PageSkeleton, ShownThing } from "./page";
import { closePalette, openPalette, Palette, paletteIsOpen } from "./palette/opening";
import { Toasts } from "./toasts";

leaving.ask = () => {
  const { leaveTitle: title, leaveBody: body, leave: confirm, stay: cancel } = messages.dialogs;
  return ask({ title, body, confirm, cancel, danger: true });
};

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  if (!session.value) return;
  event.preventDefault();
  if (paletteIsOpen.peek()) closePalette();
  else openPalette();
});

/** Addresses without a screen of their own. */
const LEADS_ON: Readonly<Record<string, string>> = {
  "/app/account": "/app/account/profile",
  "/app/account/password": "/app/account/security",
};

export function App() {
  const { path } = address.value;
  const match = placeAt(path);
  const elsewhere = path === "/app/settings" ? settingsStart() : LEADS_ON[path];
  useEffect(() => {
    if (elsewhere) void go(to(elsewhere), { replace: true });
  }, [elsewhere]);
  if (match?.place.isWayIn) return <WayIn match={match} />;
  if (!organization) return <NoOrganization isWanted />;
  return <Framed>{elsewhere ? <PageSkeleton /> : match ? <Screen match={match} /> : <NotFound isWanted />}</Framed>;
}

function WayIn({ match }: { match: Match }) {
  return (
    <>
      <main class="way-in" id="content">
        <Boundary of={match.place.path}>
          <Loaded match={match} />
        </Boundary>
      </main>
      <Toasts />
    </>
  );
}

/** It is there before it is wanted: then there may be no connection. */
const IdentityDialog = later(async () => (await import("./identity_dialog")).IdentityDialog);
const NoOrganization = later(async () => (await import("./no_screen")).NoOrganization, { ahead: false });
const NoRight = later(async () => (await import("./no_screen")).NoRight, { ahead: false });
const NotFound = later(async () => (await import("./no_screen")).NotFound, { ahead: false });

/** The list of keys while it is open: it is loaded when it is asked for. */
const keyHelp = signal<ComponentType<{ onClose: () => void }> | null>(null);

async function openKeyHelp(): Promise<void> {
  const module = await import("./key_help").catch(() => null);
  keyHelp.value = module?.KeyHelp ?? null;
}

function Framed({ children }: { children: ComponentChildren }) {
  const KeyHelp = keyHelp.value;
  const words = messages.keys;
  useKeys([
    ...PLACES.filter((place) => place.go && (!place.needs || may(place.needs))).map((place) => ({
      key: `g ${place.go}`,
      label: say(words.goTo, { name: labelOf(place) }),
      run: () => void go(to(addressOf(place))),
    })),
    { key: "g s", label: say(words.goTo, { name: messages.nav.settings }), run: () => void go(to(settingsStart())) },
    { key: "z", label: words.undo, run: () => void undoLast() },
    { key: "?", label: words.help, run: () => void openKeyHelp() },
    { key: "Escape", label: words.escape, run: goBack },
  ]);
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place on the page, without an entry in the history. */}
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("content")?.focus();
        }}
      >
        {messages.nav.skip}
      </a>
      <div class="frame">
        <SideNavigation />
        <main id="content" tabIndex={-1}>
          {!isLive.value && (
            <p class="cut-off" role="status">
              <Icon name="wifi-off" /> {messages.live.cutOff}
            </p>
          )}
          {children}
        </main>
        <Bar />
      </div>
      <NewsInTitle />
      <Toasts />
      <Palette />
      {KeyHelp && <KeyHelp onClose={() => (keyHelp.value = null)} />}
      <Questions />
      <IdentityDialog isWanted />
    </>
  );
}

/** `Esc` on a screen below another goes up; elsewhere it does nothing. */
function goBack(): void {
  const { path } = address.peek();
  const above = path.slice(0, path.lastIndexOf("/"));
  if (!isSettings(path) && placeAt(above)) void go(to(above));
}

function Screen({ match }: { match: Match }) {
  const { needs } = match.place;
  if (needs && !may(needs)) return <NoRight isWanted permission={needs} />;
  return (
    <Boundary of={match.place.path}>
      <Loaded match={match} />
    </Boundary>
  );
}

const RELOADED = "svc-reloaded";
const RELOADED_MS = 20_000;

/** A page whose module cannot be had is loaded anew, but not over and over: the file may be gone for good. */
function reloadOnce(): boolean {
  const before = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - before < RELOADED_MS) return false;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  leaveFor(location.href);
  return true;
}

/** The screen's module. The screen before stayed for the moment that it mostly takes; then a skeleton is shown. */
function Loaded({ match: { place, thing, params } }: { match: Match }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [, setLoads] = useState(0);
  const tryAgain = async () => {
    try {
      await load(place);
      setLoads((loads) => loads + 1);
      setProblem(null);
    } catch {
      // There is no connection, or the server has a newer program, without the file that this one asks for.
      const answered = await send("/app/api/session", { method: "GET" });
      if (!answered.ok || !reloadOnce()) setProblem(ownProblem("no_connection", messages.problems.noConnection));
    }
  };
  const Component = screenOf(place);
  useEffect(() => {
    setProblem(null);
    if (!Component) void tryAgain(); // Also where it has come since this was drawn.
  }, [place]);
  useEffect(() => (problem ? whenBack(() => void tryAgain()) : undefined), [problem]);
  if (Component) {
    return (
      <ShownThing.Provider value={thing}>
        <Component key={place.path} params={params} />
      </ShownThing.Provider>
    );
  }
  return problem ? <Failure page problem={problem} again={() => void tryAgain()} /> : <PageSkeleton />;
}
