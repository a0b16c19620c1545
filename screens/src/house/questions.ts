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

/** Which rows a list asks for at the address; reading it in a component renders that anew when it changes. */
export function whichOf<N extends Reads>({ input }: Question<N>): Which<N> {
  const parameters = new URLSearchParams(address.value.search);
  const filled: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(input)) {
    const hole = typeof value === "string" ? /^\{\?(\w+)\}$/.exec(value) : null;
    const given = hole ? parameters.get(hole[1] as string) : value;
    if (member !== "limit" && given) filled[member] = given;
  }
  return filled as Which<N>; // What the address has may be anything: the tool refuses what it does not know.
}
