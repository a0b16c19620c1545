/** Questions that screens ask first, as the table `questions.ts` has them: a tool, and an input with holes. */
import { address } from "./address";
import type { Input, Reads } from "./tools";

/**
 * In *input*, `{name}` stands for that segment of the path or else that parameter, without which nothing is asked;
 * `{?name}` for a parameter, without which that member is left out.
 */
export interface Question<N extends Reads = Reads> {
  tool: N;
  input: Readonly<Record<string, unknown>>;
  /** Parameters of the address with which the screen asks something else. */
  without?: readonly string[];
}

/** The input of a list without what its page is. */
export type Which<N extends Reads> = Omit<Input<N>, "limit" | "cursor">;

/**
 * The input of *question* at an address with *params* in its path and *search* behind it; undefined where the
 * screen does not ask it there. What the address has may be anything: the tool refuses what it does not know.
 */
export function inputAt<N extends Reads>(
  { input, without = [] }: Question<N>,
  params: Readonly<Record<string, string | undefined>>,
  search: string,
): Input<N> | undefined {
  const parameters = new URLSearchParams(search);
  if (without.some((name) => parameters.get(name))) return undefined;
  const filled: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(input)) {
    const hole = typeof value === "string" ? /^\{(\??)(\w+)\}$/.exec(value) : null;
    const [, isOptional, name = ""] = hole ?? [];
    const given = hole ? (!isOptional && params[name]) || parameters.get(name) : value;
    if (given || !hole) filled[member] = given;
    else if (!isOptional) return undefined;
  }
  return filled as Input<N>;
}

/** Which rows a list asks for at the address, with *params* in its path; reading it in a component renders that anew when it changes. */
export function whichOf<N extends Reads>(
  { tool, input: { limit: _, ...input } }: Question<N>,
  params: Record<string, string> = {},
): Which<N> {
  return (inputAt({ tool, input }, params, address.value.search) ?? {}) as Which<N>;
}
