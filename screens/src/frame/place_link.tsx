/** Links of the navigation to screens, with how many wait there. */
import { goal, to } from "../house/address";
import { useAnswer } from "../house/queries";
import { messages, say } from "../messages/messages";
import { Icon } from "../parts/icon";
import { Foreign } from "../parts/texts";
import type { Place, PlaceCount } from "../places";
import { type NavLink, useLinks } from "./links";

const COUNT_MAX = 999;

const isHere = (path: string): boolean => goal.value === path || goal.value.startsWith(`${path}/`);

export function PlaceLink({ link: { path, label, icon, count } }: { link: NavLink }) {
  return (
    <a class="nav-link" href={to(path)} aria-current={isHere(path) ? "page" : undefined}>
      {icon && <Icon name={icon} />}
      <span>
        <Foreign>{label}</Foreign>
      </span>
      {count && <Count of={count} />}
    </a>
  );
}

export function PlaceLinks({ section }: { section: NonNullable<Place["section"]> }) {
  return (
    <>
      {useLinks(section).map((link) => (
        <PlaceLink key={link.path} link={link} />
      ))}
    </>
  );
}

/** How many of *count* there are, kept up to date. */
export function useCount({ tool, input, member }: PlaceCount): number {
  const answer = useAnswer(tool, input as never).answer as Readonly<Record<string, unknown>> | undefined;
  const n = answer?.[member];
  return typeof n === "number" ? n : 0;
}

export const countText = (n: number): string => (n > COUNT_MAX ? `${COUNT_MAX}+` : String(n));

/** How many wait at a screen; nothing where none do. */
function Count({ of }: { of: PlaceCount }) {
  const n = useCount(of);
  if (n === 0) return null;
  return (
    <span class="count" role="img" aria-label={say(messages.nav.counts[of.says ?? "waiting"], { n })}>
      {countText(n)}
    </span>
  );
}
