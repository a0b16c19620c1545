/** A menu behind a button: the browser's own `popover`, with the arrow keys. */
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
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
  class?: string;
  header?: ComponentChildren;
}

export function Menu({ label, children, items, class: look = "button button-quiet button-icon", header }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const entries = () => [...(menu.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])") ?? [])];
  const focus = (step: number) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  return (
    <>
      <button type="button" class={look} ref={button} popovertarget={id} aria-haspopup="menu" aria-label={label} title={label}>
        {children}
      </button>
      <div
        popover="auto"
        id={id}
        ref={menu}
        class="menu"
        role="menu"
        aria-label={label}
        onToggle={(event) => {
          if (event.newState !== "open") return;
          if (menu.current && button.current) place(menu.current, button.current);
          entries()[0]?.focus();
        }}
        onKeyDown={(event) => {
          const steps: Record<string, () => void> = {
            ArrowDown: () => focus(1),
            ArrowUp: () => focus(-1),
            Home: () => entries()[0]?.focus(),
            End: () => entries().at(-1)?.focus(),
            Tab: () => menu.current?.hidePopover(),
          };
          const step = steps[event.key];
          if (step) {
            if (event.key !== "Tab") event.preventDefault();
            step();
          }
        }}
      >
        {header}
        {items
          .filter((group) => group.length > 0)
          .map((group, index) => (
            <div key={index} role="group">
              {group.map((item) => (
                <Entry key={item.label} item={item} close={() => menu.current?.hidePopover()} />
              ))}
            </div>
          ))}
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
  const top = below + height > innerHeight - margin && at.top - height - 4 > margin ? at.top - height - 4 : below;
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}
