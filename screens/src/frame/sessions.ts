/** What a person changes from every screen: the theme, the organization that is worked in, and being signed in. */
import { leaveFor } from "../house/address";
import { organization, session } from "../house/boot";
import { send } from "../house/requests";
import { messages } from "../messages/messages";
import type { IconName } from "../parts/icon_names";
import type { MenuItem } from "../parts/menu";
import { setTheme, type Theme, theme } from "./theme";

const words = messages.nav;

export async function signOut(): Promise<void> {
  await send("/app/api/sign-out", { body: {} });
  // What was opened last is nobody else's business.
  for (const key of Object.keys(localStorage)) if (key.startsWith("svc-recent-")) localStorage.removeItem(key);
  leaveFor("/app/sign-in");
}

/** The organizations that the person may change to; none where there is one alone. */
export function organizationItems(): MenuItem[] {
  const all = session.value?.organizations ?? [];
  const home = session.value?.person.homeOrganizationId;
  if (all.length < 2) return [];
  return all.map((other) => ({
    label: other.name,
    icon: "building-2",
    checked: other.id === organization?.id,
    run: () => leaveFor(other.id === home ? "/app/" : `/app/?org=${other.id}`),
  }));
}

export function themeItems(): MenuItem[] {
  const themes: [Theme, string, IconName][] = [
    ["system", words.themeSystem, "monitor"],
    ["light", words.themeLight, "sun"],
    ["dark", words.themeDark, "moon"],
  ];
  return themes.map(([value, label, icon]) => ({ label, icon, checked: theme.value === value, run: () => setTheme(value) }));
}
