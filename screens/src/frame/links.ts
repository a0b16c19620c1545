/** The links of the navigation: one for each place, and one for each object where a place is of all of them. */
import { may } from "../house/boot";
import { useAnswer } from "../house/queries";
import type { Answer } from "../house/tools";
import type { IconName } from "../parts/icon_names";
import type { Place } from "../places";
import { addressOf, FIRST_OBJECT, labelOf, placesOf } from "./match";

export interface NavLink {
  path: string;
  label: string;
  icon?: IconName;
  count?: Place["count"];
  /** The letter after `G` that leads there. */
  go?: string;
}

type ObjectFacts = Answer<"object.list">["objects"][number];

const OBJECT_ICONS: Readonly<Record<string, IconName>> = { contact: "book-user", company: "building-2", deal: "handshake" };

export const objectIcon = (slug: string): IconName => OBJECT_ICONS[slug] ?? "table-2";

/** The links of *section*, by what is known now: those of objects are missing until these are there. */
export function useLinks(section: NonNullable<Place["section"]>): NavLink[] {
  return linksOf(placesOf(section), useObjects());
}

/** The objects of the organization; none where the person may not see records. */
export function useObjects(): readonly ObjectFacts[] {
  return may("records.read") ? (useAnswer("object.list", {}).answer?.objects ?? []) : [];
}

export function linksOf(places: readonly Place[], objects: readonly ObjectFacts[]): NavLink[] {
  return places.flatMap((place): NavLink[] => {
    const { count, icon, go, ofObjects } = place;
    if (!ofObjects)
      return [{ path: addressOf(place), label: labelOf(place), ...(count && { count }), ...(icon && { icon }), ...(go && { go }) }];
    return objects.map(({ slug, labelPlural }) => ({
      path: addressOf(place, slug),
      label: labelPlural,
      icon: OBJECT_ICONS[slug] ?? icon ?? "table-2",
      ...(go && slug === FIRST_OBJECT && { go }),
    }));
  });
}
