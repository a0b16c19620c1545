/** Which screen an address shows. */
import { may } from "../house/boot";
import { messages } from "../messages/messages";
import { PLACES, type Place } from "../places";

export interface Match {
  place: Place;
  /** The same for all addresses that show one thing, whatever panel is open. */
  thing: string;
  params: Record<string, string | undefined>;
}

export function placeAt(path: string): Match | null {
  for (const place of PLACES) {
    const params = matched(place.path, path);
    if (params) return { place, params, thing: thingOf(place.path, params) };
  }
  return null;
}

/** What stands for each `{name}` of *pattern* in *path*; null where they do not fit. */
function matched(pattern: string, path: string): Record<string, string | undefined> | null {
  const wanted = pattern.split("/");
  const given = path.split("/");
  const params: Record<string, string | undefined> = {};
  if (given.length > wanted.length) return null;
  for (const [at, segment] of wanted.entries()) {
    const found = given[at];
    const name = /^\{(\w+)(\??)\}$/.exec(segment);
    if (!name) {
      if (found !== segment) return null;
    } else if (found) params[name[1] as string] = decodeURIComponent(found);
    else if (!name[2]) return null;
  }
  return params;
}

function thingOf(pattern: string, params: Match["params"]): string {
  return pattern.replace(/\{(\w+)(\??)\}/g, (_, name: string, isOptional: string) => (isOptional ? "" : (params[name] ?? "")));
}

/** Every organization has it. */
export const FIRST_OBJECT = "contact";

/** The address of *place* without what varies; of one that is of each object, that of *object*. */
export function addressOf(place: Place, object = FIRST_OBJECT): string {
  return place.path.replace(/\/\{\w+\?\}/g, "").replace("{object}", object);
}

/** What the navigation shows: only what there is, and what the person's role includes. */
export function placesOf(section: NonNullable<Place["section"]>): Place[] {
  return PLACES.filter((place) => place.section === section && (!place.needs || may(place.needs)));
}

export const labelOf = (place: Place): string => messages.screens[place.label];

/** Whether the settings' own navigation is shown beside *path*. */
export const isSettings = (path: string): boolean => /^\/app\/(settings|account)(\/|$)/.test(path);

/** The first screen of settings that the person may see. */
export function settingsStart(): string {
  const place = (["organization", "developers", "ai", "account"] as const).flatMap(placesOf)[0];
  return place ? addressOf(place) : "/app/account/profile";
}

/** Home, where everybody may be. */
export const START = "/app/";
