import type { IconName } from "./icon_names";

declare const ICON_SPRITE: string;

/** An icon beside a text that says it, or with a *label* of its own. */
export function Icon({ name, size = 16, label }: { name: IconName; size?: number; label?: string }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : "true"}
    >
      <use href={`${ICON_SPRITE}#${name}`} />
    </svg>
  );
}
