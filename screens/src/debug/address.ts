/** The address is the state: kind, search, order and the open actor, so that a link shows the same. */
import { signal } from "@preact/signals";

export interface Parameters {
  kind?: string;
  key?: string;
  sort?: string;
  limit?: string;
  /** The noun whose organizations are shown. */
  noun?: string;
  /** The open actor, as its kind and key. */
  ofKind?: string;
  ofKey?: string;
}

const read = (): Parameters => Object.fromEntries(new URLSearchParams(location.search)) as Parameters;

export const parameters = signal<Parameters>(read());
addEventListener("popstate", () => {
  parameters.value = read();
});

/** Change some; undefined removes one. With *replace*, Back does not lead to what was before. */
export function setParameters(changes: Parameters, { replace = false } = {}): void {
  const next = { ...parameters.value, ...changes };
  const query = new URLSearchParams(Object.entries(next).filter((entry): entry is [string, string] => Boolean(entry[1])));
  const text = query.toString();
  history[replace ? "replaceState" : "pushState"](null, "", `${location.pathname}${text && `?${text}`}`);
  parameters.value = read();
}
