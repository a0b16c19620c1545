/** Gets the next screen ready while the one before is still shown: its module, and what it asks first. */
import type { ComponentType } from "preact";
import { type Address, address, arriving, beginAt, to } from "../house/address";
import { askAhead, dropAhead } from "../house/ahead";
import { may, organization } from "../house/boot";
import { listKey } from "../house/lists";
import { isKnown } from "../house/queries";
import { inputAt, type Question } from "../house/questions";
import { queryKey } from "../house/tools";
import type { Place, ScreenProps } from "../places";
import { type Match, placeAt, START, startOf } from "./match";

/** A screen whose answers take longer is shown without them. */
const ANSWERS_MS = 150;

const loaded = new Map<Place, ComponentType<ScreenProps>>();

/** The component of *place*, once its module is there. */
export const screenOf = (place: Place): ComponentType<ScreenProps> | undefined => loaded.get(place);

/** Load the module of *place*. Rejects where there is no connection, or where the server has a newer program. */
export async function load(place: Place): Promise<void> {
  if (!loaded.has(place)) loaded.set(place, (await place.load()).default);
}

/** Load the first screen's module, so that what is drawn first has the screen in it. */
export async function loadFirst(): Promise<void> {
  if (address.peek().path === START && organization) beginAt(to(startOf()));
  const place = placeAt(address.peek().path)?.place;
  if (place) await load(place).catch(retriedOnScreen);
}

arriving.prepare = async ({ path, search }: Address): Promise<void> => {
  const match = placeAt(path);
  if (!match || match.thing === placeAt(address.peek().path)?.thing) return;
  dropAhead();
  const answers = match.place.needs && !may(match.place.needs) ? undefined : firstAnswers(match, search);
  const enough = new Promise((resolve) => setTimeout(resolve, ANSWERS_MS));
  await Promise.all([load(match.place).catch(retriedOnScreen), Promise.race([answers, enough])]);
};

function firstAnswers({ place, params }: Match, search: string): Promise<unknown> {
  return Promise.all(
    (place.asks ?? []).map((question: Question) => {
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
