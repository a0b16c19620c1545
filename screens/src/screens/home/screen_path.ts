import { to } from "../../house/address";

/** The address of a screen that the service names: with the organization that is worked in. */
export function screenHref(path: string): string {
  const url = new URL(path, location.origin);
  return to(url.pathname, Object.fromEntries(url.searchParams));
}
