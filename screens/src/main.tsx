/** Starts the program on the page that the shell answered. */
import { render } from "preact";
import { loadFirst } from "./frame/arrival";
import { App } from "./frame/frame";
import { showTheme } from "./frame/theme";
import { organization } from "./house/boot";
import { listen } from "./house/live";
import { messages } from "./messages/messages";

showTheme();
document.documentElement.lang = messages.language;
document.documentElement.dir = messages.direction;
const root = document.getElementById("app");
if (root) void loadFirst().then(() => render(<App />, root));
if (organization) listen();
