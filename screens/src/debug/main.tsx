/** The operator's live view: a page of its own, without the frame of the screens. */
import { render } from "preact";
import { setTheme, showTheme, theme } from "../frame/theme";
import { debug as words } from "../messages/en/debug";
import { Button } from "../parts/button";
import { Questions } from "../parts/dialog";
import { Actor } from "./actor";
import { Actors } from "./actors";
import { parameters } from "./address";
import { First } from "./first";
import { Kinds } from "./kinds";
import { connect, connection, draining } from "./live";
import { post } from "./posts";
import { Waiting } from "./waiting";

function DebugView() {
  const { ofKind, ofKey } = parameters.value;
  const state = connection.value;
  const isDark = theme.value === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme.value === "dark";
  return (
    <>
      <header class="debug-bar">
        <h1>
          {words.title} <span>{words.product}</span>
        </h1>
        <p role="status" data-state={state}>
          {words.states[state]}
        </p>
        <Button
          look="quiet"
          icon={isDark ? "sun" : "moon"}
          label={isDark ? words.theme.light : words.theme.dark}
          onClick={() => setTheme(isDark ? "light" : "dark")}
        />
        <Button look="quiet" icon="log-out" onClick={() => void signOut()}>
          {words.signOut}
        </Button>
      </header>
      {draining.value && (
        <p class="debug-draining" role="alert">
          {words.draining}
        </p>
      )}
      <main class={ofKind && ofKey ? "debug debug-open" : "debug"}>
        <First />
        <Waiting />
        <Kinds />
        <Actors />
        {ofKind && ofKey && <Actor kind={ofKind} actorKey={ofKey} />}
      </main>
      <Questions />
    </>
  );
}

async function signOut(): Promise<void> {
  await post("/debug/sign-out");
  location.assign("/debug/sign-in");
}

showTheme();
const root = document.getElementById("debug");
if (root) render(<DebugView />, root);
connect();
