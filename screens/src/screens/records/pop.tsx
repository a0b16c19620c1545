/** A panel behind a button of the toolbar: the browser's own `popover`. */
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/icon_names";
import { place } from "../../parts/menu";
import "../../styles/records.css";

interface PopProps {
  label: string;
  icon: IconName;
  /** How many of what it has are chosen; nothing is shown for none. */
  count?: number;
  children: () => ComponentChildren;
}

export function Pop({ label, icon, count = 0, children }: PopProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        ref={button}
        class="button button-plain button-small pop-button"
        popovertarget={id}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
      >
        <Icon name={icon} size={14} />
        {label}
        {count > 0 && <span class="count">{count}</span>}
      </button>
      <div
        popover="auto"
        id={id}
        ref={panel}
        class="menu pop"
        role="dialog"
        aria-label={label}
        onToggle={(event) => {
          setIsOpen(event.newState === "open");
          if (event.newState === "open" && panel.current && button.current) place(panel.current, button.current);
        }}
      >
        {isOpen && children()}
      </div>
    </>
  );
}
