/** Gets the next screen ready while the one before is still shown: its module, and what it asks first. */
import type { ComponentType } from "preact";
import { type Address, address, arriving, screens } from "../house/address";
import { askAhead, dropAhead } from "../house/ahead";
import { may } from "../house/boot";
import { listKey } from "../house/lists";
import { isKnown } from "../house/queries";
import { inputAt } from "../house/questions";
import { queryKey } from "../house/tools";
import type { Place } from "../places";
import type { FirstNeeds } from "./first_needs";
import { type Match, placeAt } from "./match";
import type { ScreenProps } from "./screen";
import { loadStyles } from "./styles";

/** A screen that takes longer is shown without its answers, or as a skeleton. */
const WAIT_MS = 150;

const loaded = new Map<Place, ComponentType<ScreenProps>>();

/** The component of *place*, once its module is there. */
export const screenOf = (place: Place): ComponentType<ScreenProps> | undefined => loaded.get(place);

/** Load the module and the styles of *place*. Rejects where there is no connection, or where the server has a newer program. */
export async function load(place: Place): Promise<void> {
  if (loaded.has(place)) return;
  const styles = needsOf(place).then((needs) => loadStyles(needs.styles));
  const [module] = await Promise.all([place.load(), styles]);
  loaded.set(place, module.default);
}

async function needsOf({ path }: Place): Promise<FirstNeeds> {
  const { NEEDS } = await import("./first_needs");
  return NEEDS[path] ?? { asks: [], styles: [] };
}

/** Load the first screen's module, so that what is drawn first has the screen in it. */
export async function loadFirst(): Promise<void> {
  const place = placeAt(address.peek().path)?.place;
  // The shell has its styles.
  const first = await place?.load().catch(retriedOnScreen);
  if (place && first) loaded.set(place, first.default);
}

screens.has = (path) => {
  const place = placeAt(path)?.place;
  return place !== undefined && (!place.needs || may(place.needs));
};

arriving.prepare = async ({ path, search }: Address): Promise<void> => {
  const match = placeAt(path);
  if (!match || match.thing === placeAt(address.peek().path)?.thing) return;
  dropAhead();
  const answers = match.place.needs && !may(match.place.needs) ? undefined : firstAnswers(match, search);
  const enough = new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  await Promise.race([Promise.all([load(match.place).catch(retriedOnScreen), answers]), enough]);
};

async function firstAnswers({ place, params }: Match, search: string): Promise<unknown> {
  const { asks } = await needsOf(place);
  return Promise.all(
    asks.map((question) => {
      const input = inputAt(question, params, search);
      return input && !isAnswered(question.tool, input) ? askAhead(question.tool, input) : undefined;
    }),
  );
}

function isAnswered(tool: string, input: object): boolean {
  const { limit: _, ...which } = input as { limit?: number };
  return isKnown(queryKey(tool, input)) || isKnown(listKey(tool, which));
}

/** The screen tries it again, and shows why it fails. */
function retriedOnScreen(): void {}

// A pointer over a link, or the focus on it, comes before the click: the module is there by then.
for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, ({ target }) => {
    const link = (target as Element | null)?.closest?.("a");
    const place = link?.origin === location.origin ? placeAt(link.pathname)?.place : undefined;
    if (place) void load(place).catch(retriedOnScreen);
  });
}
