/** A menu behind a button: the browser's own `popover`, with the arrow keys. */
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { messages } from "../messages/messages";
import { Icon } from "./icon";
import type { IconName } from "./icon_names";

export interface MenuItem {
  label: string;
  icon?: IconName;
  run?: () => void;
  href?: string;
  danger?: boolean;
  /** One of several that are on or off. */
  checked?: boolean;
  disabled?: boolean;
}

interface MenuProps {
  /** What the button does, for those who do not see it. */
  label: string;
  children: ComponentChildren;
  /** Groups, with a line between them. */
  items: readonly (readonly MenuItem[])[];
  /** What stands above a group, at its place. */
  titles?: Readonly<Record<number, string>>;
  class?: string;
  header?: ComponentChildren;
  /** What a field to search in it is called; it is there in a menu of more than `SEARCHED_FROM`. */
  search?: string;
}

const SEARCHED_FROM = 10;

interface Group {
  title: string | undefined;
  items: readonly MenuItem[];
}

/** The groups with what has all the words of *typed*, in its name or its group's. */
function found(groups: readonly Group[], typed: string): Group[] {
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string) => words.every((word) => text.toLocaleLowerCase().includes(word));
  return groups
    .map(({ title, items }) => ({ title, items: items.filter(({ label }) => fits(`${title ?? ""} ${label}`)) }))
    .filter(({ items }) => items.length > 0);
}

export function Menu({ label, children, items, class: look = "button button-quiet button-icon", header, titles = {}, search }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const all = items.map((group, at) => ({ title: titles[at], items: group }));
  const isSearched = search !== undefined && items.flat().length > SEARCHED_FROM;
  const groups = isSearched ? found(all, typed) : all;
  const entries = () => [...(menu.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ?? [])];
  const focus = (step: number) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const from = at < 0 && step < 0 ? 0 : at; // From the field, up is the last.
    all[(from + step + all.length) % all.length]?.focus();
  };
  const onToggle = (event: ToggleEvent) => {
    if (!menu.current || !button.current) return;
    menu.current.style.minBlockSize = "";
    setTyped("");
    if (event.newState !== "open") return;
    place(menu.current, button.current);
    if (!isSearched) return entries()[0]?.focus();
    // It stays where it is while less and less is left.
    menu.current.style.minBlockSize = `${menu.current.offsetHeight}px`;
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isTyping = event.target === field.current;
    const steps: Record<string, () => void> = {
      ArrowDown: () => focus(1),
      ArrowUp: () => focus(-1),
      ...(isTyping ? { Enter: () => entries()[0]?.click() } : { Home: () => entries()[0]?.focus(), End: () => entries().at(-1)?.focus() }),
      Tab: () => menu.current?.hidePopover(),
    };
    const step = steps[event.key];
    if (step) {
      if (event.key !== "Tab") event.preventDefault();
      step();
    } else if (!isTyping && event.key.length === 1 && event.key !== " " && !(event.ctrlKey || event.metaKey || event.altKey)) {
      field.current?.focus(); // Where the letter is then typed.
    }
  };
  const listed = groups.map(({ title, items: group }, index) => (
    <div key={title ?? index} role="group" {...(title && { "aria-label": title })}>
      {title && (
        <span class="menu-title" aria-hidden="true">
          {title}
        </span>
      )}
      {group.map((item) => (
        <Entry key={item.label} item={item} close={() => menu.current?.hidePopover()} />
      ))}
    </div>
  ));
  return (
    <>
      <button
        type="button"
        class={look}
        ref={button}
        popovertarget={id}
        aria-haspopup={isSearched ? "dialog" : "menu"}
        aria-label={label}
        title={label}
      >
        {children}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it has one role or the other. */}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both of them have a name. */}
      <div
        popover="auto"
        id={id}
        ref={menu}
        class="menu"
        role={isSearched ? "dialog" : "menu"}
        aria-label={label}
        onToggle={onToggle}
        onKeyDown={onKeyDown}
      >
        {header}
        {isSearched ? (
          <>
            <input
              ref={field}
              class="control menu-search"
              type="search"
              aria-label={search}
              placeholder={search}
              autoComplete="off"
              dir="auto"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
            <div class="menu-found" role="menu" aria-label={label}>
              {listed}
            </div>
            <p class="soft menu-nothing" role="status">
              {groups.length === 0 && messages.combobox.nothing}
            </p>
          </>
        ) : (
          listed
        )}
      </div>
    </>
  );
}

function Entry({ item, close }: { item: MenuItem; close: () => void }) {
  const inside = (
    <>
      {item.icon && <Icon name={item.icon} />}
      <bdi>{item.label}</bdi>
      {item.checked && <Icon name="check" />}
    </>
  );
  const look = item.danger ? "menu-item menu-danger" : "menu-item";
  if (item.href) {
    return (
      <a role="menuitem" class={look} href={item.href} tabIndex={-1} onClick={close}>
        {inside}
      </a>
    );
  }
  return (
    <button
      type="button"
      role={item.checked === undefined ? "menuitem" : "menuitemradio"}
      {...(item.checked !== undefined && { "aria-checked": item.checked })}
      class={look}
      tabIndex={-1}
      aria-disabled={item.disabled || undefined}
      onClick={() => {
        if (item.disabled) return;
        close();
        item.run?.();
      }}
    >
      {inside}
    </button>
  );
}

/** Put *menu* under its *button*, or above it where there is no room, inside the window. */
export function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const isMirrored = getComputedStyle(button).direction === "rtl";
  const margin = 8;
  const preferred = at.left + width > innerWidth - margin || isMirrored ? at.right - width : at.left;
  const left = Math.max(margin, Math.min(preferred, innerWidth - width - margin));
  const below = at.bottom + 4;
  const beside = below + height > innerHeight - margin && at.top - height - 4 > margin ? at.top - height - 4 : below;
  const top = Math.max(margin, Math.min(beside, innerHeight - height - margin));
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}
