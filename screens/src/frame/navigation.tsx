/** The navigation: at the side on a desk; on a phone a bar below, with the rest behind More. */
import { signal } from "@preact/signals";
import { address, leaveFor, to } from "../house/address";
import { organization, session } from "../house/boot";
import { messages, say } from "../messages/messages";
import { Avatar } from "../parts/avatar";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import type { IconName } from "../parts/icon_names";
import { Menu, type MenuItem } from "../parts/menu";
import { Foreign } from "../parts/texts";
import { useLinks } from "./links";
import { addressOf, isSettings, labelOf, placesOf, settingsStart } from "./match";
import { openPalette } from "./palette/opening";
import { PlaceLink, PlaceLinks } from "./place_link";
import { organizationItems, signOut, themeItems } from "./sessions";

const words = messages.nav;
const SETTINGS_SECTIONS = ["organization", "developers", "ai", "account"] as const;
const ON_BAR = 3;

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
      <Organization />
      <button type="button" class="nav-link nav-search" onClick={openPalette}>
        <Icon name="search" />
        <span>{words.search}</span>
        <kbd>{isMac ? "⌘" : "Ctrl"} K</kbd>
      </button>
      {inSettings ? <SettingsLinks /> : <WorkLinks />}
      <div class="nav-foot">
        <Trial />
        <PersonMenu />
      </div>
    </nav>
  );
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

function WorkLinks() {
  return (
    <>
      <div class="nav-group">
        <PlaceLinks section="work" />
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
              <PlaceLinks section={section} />
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

function personItems(): MenuItem[] {
  return [
    ...placesOf("account").map((place) => ({
      label: labelOf(place),
      ...(place.icon && { icon: place.icon }),
      href: to(addressOf(place)),
    })),
    { label: words.docs, icon: "file-text", run: () => leaveFor("/docs") },
  ];
}

const signOutItem: MenuItem = { label: words.signOut, icon: "log-out", run: () => void signOut() };

/** Whose data these are; a menu for who is a member of several. */
function Organization() {
  if (!organization) return null;
  const items = organizationItems();
  const inside = (
    <>
      <Avatar name={organization.name} of="organization" />
      <span class="nav-organization">
        <Foreign>{organization.name}</Foreign>
      </span>
    </>
  );
  if (items.length === 0) {
    return (
      <a class="nav-account" href={to("/app/")}>
        {inside}
      </a>
    );
  }
  return (
    <Menu label={say(words.organizationOf, { organization: organization.name })} class="nav-account" items={[items]}>
      {inside}
      <Icon name="chevrons-up-down" size={14} />
    </Menu>
  );
}

/** Who is signed in. */
function PersonMenu() {
  const person = session.value?.person;
  if (!person) return null;
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
  const groups = [personItems(), themeItems(), [signOutItem]];
  return (
    <Menu
      label={say(words.accountOf, { name: person.name })}
      class="nav-account"
      items={groups}
      titles={{ 1: words.theme }}
      header={header}
    >
      <Avatar name={person.name} />
      <span class="nav-organization">
        <Foreign>{person.name}</Foreign>
      </span>
      <Icon name="chevrons-up-down" size={14} />
    </Menu>
  );
}

const moreIsOpen = signal(false);

/** The bar of a phone: the first screens, search, and the rest. */
export function Bar() {
  const first = useLinks("work").slice(0, ON_BAR);
  return (
    <>
      <nav class="bar" aria-label={words.main}>
        {first.map((link) => (
          <PlaceLink key={link.path} link={link} />
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
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the clicks are those of its links. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click. */}
      <div class="more" onClick={(event) => (event.target as Element).closest("a") && close()}>
        {groups.map(([section, title]) => {
          const places = placesOf(section);
          return (
            places.length > 0 && (
              <div class="nav-group" key={section}>
                {title && <h3>{title}</h3>}
                <PlaceLinks section={section} />
              </div>
            )
          );
        })}
        <div class="nav-group">
          {[...organizationItems(), ...themeItems(), ...personItems(), signOutItem]
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
