/** The whole page: navigation, the screen of the address, and what stands over it. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address, go, leaveFor, leaving, to } from "../house/address";
import { may, organization, session } from "../house/boot";
import { useKeys } from "../house/keys";
import { isLive } from "../house/live";
import { ownProblem, type Problem } from "../house/problems";
import { send } from "../house/requests";
import { undoLast } from "../house/toasts";
import { messages, say } from "../messages/messages";
import { ask, Questions } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Icon } from "../parts/icon";
import { Toasts } from "./toasts";
import { PLACES } from "../places";
import { load, screenOf } from "./arrival";
import { IdentityDialog } from "./identity_dialog";
import { KeyHelp, keyHelpIsOpen } from "./key_help";
import { addressOf, isSettings, labelOf, type Match, placeAt, settingsStart, START, startOf } from "./match";
import { Bar, SideNavigation } from "./navigation";
import { PageSkeleton, ShownThing } from "./page";
import { Boundary, NoOrganization, NoRight, NotFound } from "./pages";
import { Palette, paletteIsOpen } from "./palette";

leaving.ask = () => {
  const { leaveTitle: title, leaveBody: body, leave: confirm, stay: cancel } = messages.dialogs;
  return ask({ title, body, confirm, cancel, danger: true });
};

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  if (!session.value) return;
  event.preventDefault();
  paletteIsOpen.value = !paletteIsOpen.value;
});

export function App() {
  const { path } = address.value;
  const match = placeAt(path);
  const isStart = path === START;
  const isSettingsStart = path === "/app/settings" || path === "/app/account";
  useEffect(() => {
    if (isStart) void go(to(startOf()), { replace: true });
    else if (isSettingsStart) void go(to(path === "/app/account" ? "/app/account/sessions" : settingsStart()), { replace: true });
  }, [path]);
  if (match?.place.isWayIn) return <WayIn match={match} />;
  if (!organization) return <NoOrganization />;
  return <Framed>{isStart || isSettingsStart ? <PageSkeleton /> : match ? <Screen match={match} /> : <NotFound />}</Framed>;
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

function Framed({ children }: { children: ComponentChildren }) {
  const words = messages.keys;
  useKeys([
    ...PLACES.filter((place) => place.go && (!place.needs || may(place.needs))).map((place) => ({
      key: `g ${place.go}`,
      label: say(words.goTo, { name: labelOf(place) }),
      run: () => void go(to(addressOf(place))),
    })),
    { key: "g s", label: say(words.goTo, { name: messages.nav.settings }), run: () => void go(to(settingsStart())) },
    { key: "z", label: words.undo, run: () => void undoLast() },
    { key: "?", label: words.help, run: () => (keyHelpIsOpen.value = true) },
    { key: "Escape", label: words.escape, run: goBack },
  ]);
  return (
    <>
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
      <Toasts />
      <Palette />
      <KeyHelp />
      <Questions />
      <IdentityDialog />
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
  if (needs && !may(needs)) return <NoRight permission={needs} />;
  return (
    <Boundary of={match.place.path}>
      <Loaded match={match} />
    </Boundary>
  );
}

const RELOADED = "svc-reloaded";

/** The screen's module; the one before stays until it is there, so nothing flickers. */
function Loaded({ match }: { match: Match }) {
  const [shown, setShown] = useState<Match | null>(screenOf(match.place) ? match : null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const tryAgain = async () => {
    setProblem(null);
    try {
      await load(match.place);
      if (placeAt(address.peek().path)?.place === match.place) setShown(match);
    } catch {
      // There is no connection, or the server has a newer program, without the file that this one asks for.
      const answered = await send("/app/api/session", { method: "GET" });
      if (answered.ok && sessionStorage.getItem(RELOADED) !== location.href) {
        sessionStorage.setItem(RELOADED, location.href);
        leaveFor(location.href);
      } else setProblem(ownProblem("no_connection", messages.problems.noConnection));
    }
  };
  useEffect(() => {
    if (!screenOf(match.place)) void tryAgain();
  }, [match.place]);
  const current = screenOf(match.place) ? match : shown;
  if (problem) return <Failure problem={problem} again={() => location.reload()} />;
  const Component = current && screenOf(current.place);
  if (!current || !Component) return <PageSkeleton />;
  return (
    <ShownThing.Provider value={current.thing}>
      <Component key={current.place.path} params={current.params} />
    </ShownThing.Provider>
  );
}

