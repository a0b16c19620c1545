/** What the palette lists, and the part of it that needs no question: screens, actions and what was opened last. */

import { address, go, leaveFor, to } from "../../house/address";
import { may, organization, session } from "../../house/boot";
import { activeKeys } from "../../house/keys";
import { palette } from "../../messages/en/palette";
import { messages } from "../../messages/messages";
import type { IconName } from "../../parts/icon_names";
import { PLACES, type Place } from "../../places";
import { addressOf, labelOf } from "../match";
import { organizationItems, signOut, themeItems } from "../sessions";

const words = palette;

export type Group = keyof typeof words.groups;

export interface Entry {
  id: string;
  group: Group;
  label: string;
  icon: IconName;
  /** What it is, or where: in small letters behind its name. */
  about?: string | undefined;
  /** What it is found by, beside its name. */
  also?: string | undefined;
  /** The keys that do the same. */
  keys?: string | undefined;
  /** Where it leads; else *run* does something. */
  href?: string;
  run?: () => void;
}

export function open({ href, run }: Entry): void {
  if (run) run();
  else if (href?.startsWith("/app/")) void go(href);
  else if (href) leaveFor(href);
}

const isAllowed = ({ needs }: Place): boolean => !needs || may(needs);

/** Names such as Organization are those of a section as well. */
function aboutScreen({ section }: Place): string | undefined {
  if (section === "work") return undefined;
  return section === "account" ? messages.sections.account : messages.nav.settings;
}

export function screens(): Entry[] {
  return PLACES.filter((place) => place.section && !place.ofObjects && isAllowed(place)).map((place) => ({
    id: `screen ${place.path}`,
    group: "screens",
    label: labelOf(place),
    icon: place.icon ?? "file-text",
    about: aboutScreen(place),
    keys: place.go && `G ${place.go.toUpperCase()}`,
    href: to(addressOf(place)),
  }));
}

/** What can be done on the screen that is shown, by its keys. */
export function actionsHere(): Entry[] {
  return activeKeys()
    .filter((key) => /^[a-z]$/.test(key.key) && !["j", "k", "x", "z"].includes(key.key))
    .map((key) => ({
      id: `key ${key.key}`,
      group: "here",
      label: key.label,
      icon: "mouse-pointer-click",
      keys: key.key.toUpperCase(),
      run: key.run,
    }));
}

/** What can be done from everywhere. */
export function actions(): Entry[] {
  const makes: Entry[] = PLACES.flatMap((place) => {
    const { makes } = place;
    const isHere = address.peek().path === addressOf(place); // Then its own key is among what can be done here.
    if (!makes || !may(makes.needs) || isHere) return [];
    return [
      {
        id: `make ${makes.label}`,
        group: "actions",
        label: words.makes[makes.label],
        icon: "plus",
        keys: place.go && `G ${place.go.toUpperCase()} C`,
        href: to(addressOf(place), { new: "1" }),
      },
    ];
  });
  const others: Entry[] = [
    ...(may("records.write")
      ? [{ id: "import", label: words.importContacts, icon: "upload", href: to("/app/settings/objects/contact/import") } as const]
      : []),
    ...themeItems().map((item) => ({
      ...item,
      id: `theme ${item.label}`,
      icon: item.icon ?? "sun",
      label: item.label,
      about: messages.nav.theme,
      also: messages.nav.theme,
    })),
    ...organizationItems().map((item) => ({
      ...item,
      id: `organization ${item.label}`,
      icon: item.icon ?? "building-2",
      about: messages.nav.changeOrganization,
      also: messages.nav.changeOrganization,
    })),
    { id: "guides", label: messages.nav.docs, icon: "book-open", href: "/docs" } as const,
    { id: "sign out", label: messages.nav.signOut, icon: "log-out", run: () => void signOut() } as const,
  ].map((item) => ({ ...item, group: "actions" }));
  return [...makes, ...others];
}

const RECENT_MAX = 6;
const recentKey = (): string => `svc-recent-${session.value?.person.id ?? ""}-${organization?.id ?? ""}`;

/** What was opened last, the latest first. */
export function recent(): Entry[] {
  try {
    return JSON.parse(localStorage.getItem(recentKey()) ?? "[]") as Entry[];
  } catch {
    return [];
  }
}

/** Keep that *entry* was opened, in this browser, for this person and organization. */
export function keepRecent(entry: Entry): void {
  if (!entry.href) return;
  const { run: _, keys: __, ...kept } = entry;
  const all = [{ ...kept, group: "recent" }, ...recent().filter(({ id }) => id !== entry.id)];
  localStorage.setItem(recentKey(), JSON.stringify(all.slice(0, RECENT_MAX)));
}
