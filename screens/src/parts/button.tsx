import type { ComponentChildren, Ref, TargetedMouseEvent } from "preact";
import { Icon } from "./icon";
import type { IconName } from "./icon_names";

interface Look {
  /** `solid`: the one thing to do here. `plain`: any other. `quiet`: in a line of text or a table. */
  look?: "solid" | "plain" | "quiet" | "danger";
  icon?: IconName;
  small?: boolean;
}

interface ButtonProps extends Look {
  children?: ComponentChildren;
  /** Instead of a text: what a button with an icon alone does. */
  label?: string;
  onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  type?: "button" | "submit";
  /** While its act is under way it stays where it is, keeps the focus and does nothing. */
  busy?: boolean;
  disabled?: boolean;
  id?: string;
  autoFocus?: boolean;
  innerRef?: Ref<HTMLButtonElement>;
  popovertarget?: string;
  expanded?: boolean;
  pressed?: boolean;
}

function lookOf({ look = "plain", small, icon }: Look, alone: boolean): string {
  return ["button", `button-${look}`, small && "button-small", icon && alone && "button-icon"].filter(Boolean).join(" ");
}

export function Button(props: ButtonProps) {
  const { children, label, icon, onClick, type = "button", busy = false, disabled = false, small } = props;
  return (
    <button
      type={type}
      class={lookOf(props, children === undefined)}
      aria-label={label}
      title={label}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      aria-expanded={props.expanded}
      aria-pressed={props.pressed}
      disabled={disabled}
      id={props.id}
      ref={props.innerRef}
      autoFocus={props.autoFocus}
      popovertarget={props.popovertarget}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <span class="spinner" /> : icon && <Icon name={icon} size={small ? 14 : 16} />}
      {children}
    </button>
  );
}

/** A link that looks like a button: it goes somewhere. */
export function LinkButton({ href, children, target, ...look }: Look & { href: string; children: ComponentChildren; target?: "_blank" }) {
  return (
    <a class={lookOf(look, false)} href={href} {...(target && { target, rel: "noopener" })}>
      {look.icon && <Icon name={look.icon} />}
      {children}
    </a>
  );
}
