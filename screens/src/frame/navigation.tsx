/** The navigation: at the side on a desk; on a phone a bar below, with the rest behind More. */
import { signal } from "@preact/signals";
import { address, goal, leaveFor, to } from "../house/address";
import { organization, session } from "../house/boot";
import { useAnswer } from "../house/queries";
import { send } from "../house/requests";
import { messages, say } from "../messages/messages";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import type { IconName } from "../parts/icon_names";
import { Menu, type MenuItem } from "../parts/menu";
import type { Place } from "../places";
import { Foreign } from "../parts/texts";
import { addressOf, isSettings, labelOf, placesOf, settingsStart } from "./match";
import { openPalette } from "./palette";
import { setTheme, type Theme, theme } from "./theme";

const words = messages.nav;
const SETTINGS_SECTIONS = ["organization", "developers", "ai", "account"] as const;
const ON_BAR = 3;
const COUNT_MAX = 999;

function isHere(place: Place): boolean {
  const path = addressOf(place);
  return goal.value === path || goal.value.startsWith(`${path}/`);
}

function PlaceLink({ place }: { place: Place }) {
  const path = addressOf(place);
  return (
    <a class="nav-link" href={to(path)} aria-current={isHere(place) ? "page" : undefined}>
      {place.icon && <Icon name={place.icon} />}
      <span>{labelOf(place)}</span>
      {place.count && <Count of={place.count} />}
    </a>
  );
}

/** How many wait at a screen, kept up to date; nothing where none do. */
function Count({ of: { tool, input, member } }: { of: NonNullable<Place["count"]> }) {
  const answer = useAnswer(tool, input as never).answer as Readonly<Record<string, unknown>> | undefined;
  const n = answer?.[member];
  if (typeof n !== "number" || n === 0) return null;
  return (
    <span class="count" aria-label={say(words.waiting, { n })}>
      {n > COUNT_MAX ? `${COUNT_MAX}+` : n}
    </span>
  );
}

function OtherLink({ href, icon, label, current = false }: { href: string; icon: IconName; label: string; current?: boolean }) {
  return (
    <a class="nav-link" href={href} aria-current={current ? "page" : undefined}>
      <Icon name={icon} />
      <span>{label}</span>
    </a>
  );
}

export function SideNavigation() {
  const inSettings = isSettings(address.value.path);
  return (
    <nav class="side" aria-label={inSettings ? words.settings : words.main}>
      <AccountMenu />
      <button type="button" class="nav-link nav-search" onClick={openPalette}>
        <Icon name="search" />
        <span>{words.search}</span>
        <kbd>{isMac ? "⌘" : "Ctrl"} K</kbd>
      </button>
      {inSettings ? <SettingsLinks /> : <WorkLinks />}
      <Trial />
    </nav>
  );
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

function WorkLinks() {
  return (
    <>
      <div class="nav-group">
        {placesOf("work").map((place) => (
          <PlaceLink key={place.path} place={place} />
        ))}
      </div>
      <div class="nav-group">
        <OtherLink href={to(settingsStart())} icon="settings" label={words.settings} />
      </div>
    </>
  );
}

function SettingsLinks() {
  return (
    <>
      {placesOf("work").length > 0 && (
        <div class="nav-group">
          <OtherLink href={to("/app/")} icon="arrow-left" label={words.back} />
        </div>
      )}
      {SETTINGS_SECTIONS.map((section) => {
        const places = placesOf(section);
        return (
          places.length > 0 && (
            <div class="nav-group" key={section} role="group" aria-labelledby={`nav-${section}`}>
              <h2 id={`nav-${section}`}>{messages.sections[section]}</h2>
              {places.map((place) => (
                <PlaceLink key={place.path} place={place} />
              ))}
            </div>
          )
        );
      })}
    </>
  );
}

function Trial() {
  const left = organization?.trialDaysLeft;
  if (left === null || left === undefined) return null;
  return <p class="nav-trial">{say(words.trial, { n: left })}</p>;
}

function initials(name: string): string {
  const parts = name.trim().split(/\s+/);
  return [parts[0], parts.length > 1 ? parts.at(-1) : ""].map((part) => [...(part ?? "")][0] ?? "").join("").toUpperCase();
}

async function signOut(): Promise<void> {
  await send("/app/api/sign-out", { body: {} });
  leaveFor("/app/sign-in");
}

function accountItems(): MenuItem[][] {
  const themes: [Theme, string, IconName][] = [
    ["system", words.themeSystem, "monitor"],
    ["light", words.themeLight, "sun"],
    ["dark", words.themeDark, "moon"],
  ];
  const others = session.value?.organizations ?? [];
  const home = session.value?.person.homeOrganizationId;
  return [
    others.length > 1
      ? others.map((other) => ({
          label: other.name,
          icon: "building-2" as const,
          checked: other.id === organization?.id,
          run: () => leaveFor(other.id === home ? "/app/" : `/app/?org=${other.id}`),
        }))
      : [],
    themes.map(([value, label, icon]) => ({ label, icon, checked: theme.value === value, run: () => setTheme(value) })),
    [
      ...placesOf("account").map((place) => ({ label: labelOf(place), ...(place.icon && { icon: place.icon }), href: to(addressOf(place)) })),
      { label: words.docs, icon: "file-text", run: () => leaveFor("/docs") },
    ],
    [{ label: words.signOut, icon: "log-out", run: () => void signOut() }],
  ];
}

function AccountMenu() {
  const person = session.value?.person;
  if (!person || !organization) return null;
  const header = (
    <div class="menu-header">
      <strong>
        <Foreign>{person.name}</Foreign>
      </strong>
      <span class="soft">
        <Foreign>{person.email}</Foreign>
      </span>
    </div>
  );
  return (
    <Menu label={say(words.accountOf, { organization: organization.name })} class="nav-account" items={accountItems()} header={header}>
      <span class="avatar" aria-hidden="true" data-initials={initials(organization.name)} />
      <span class="nav-organization">
        <Foreign>{organization.name}</Foreign>
      </span>
      <Icon name="chevrons-up-down" size={14} />
    </Menu>
  );
}

const moreIsOpen = signal(false);

/** The bar of a phone: the first screens, search, and the rest. */
export function Bar() {
  const first = placesOf("work").slice(0, ON_BAR);
  return (
    <>
      <nav class="bar" aria-label={words.main}>
        {first.map((place) => (
          <PlaceLink key={place.path} place={place} />
        ))}
        <button type="button" class="nav-link" onClick={openPalette}>
          <Icon name="search" />
          <span>{words.search}</span>
        </button>
        <button type="button" class="nav-link" aria-haspopup="dialog" onClick={() => (moreIsOpen.value = true)}>
          <Icon name="menu" />
          <span>{words.more}</span>
        </button>
      </nav>
      {moreIsOpen.value && <More />}
    </>
  );
}

function More() {
  const close = () => (moreIsOpen.value = false);
  const groups = [["work", null] as const, ...SETTINGS_SECTIONS.map((section) => [section, messages.sections[section]] as const)];
  return (
    <Dialog title={organization?.name ?? words.more} onClose={close}>
      <div class="more" onClick={(event) => (event.target as Element).closest("a") && close()}>
        {groups.map(([section, title]) => {
          const places = placesOf(section);
          return (
            places.length > 0 && (
              <div class="nav-group" key={section}>
                {title && <h3>{title}</h3>}
                {places.map((place) => (
                  <PlaceLink key={place.path} place={place} />
                ))}
              </div>
            )
          );
        })}
        <div class="nav-group">
          {accountItems()
            .flat()
            .filter((item) => item.run)
            .map((item) => (
              <button
                key={item.label}
                type="button"
                class="nav-link"
                {...(item.checked !== undefined && { "aria-pressed": item.checked })}
                onClick={() => {
                  close();
                  item.run?.();
                }}
              >
                {item.icon && <Icon name={item.icon} />}
                <span>
                  <Foreign>{item.label}</Foreign>
                </span>
                {item.checked && <Icon name="check" />}
              </button>
            ))}
        </div>
      </div>
    </Dialog>
  );
}
