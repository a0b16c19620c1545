/** What each place needs beside its module: fetched after the first screen, with which the shell brings it along. */
import type { Question } from "../house/questions";

export interface FirstNeeds {
  /** As `places.ts` has them. */
  asks: readonly Question[];
  /** Names of style sheets, as the build found them: see `build/styles.mjs`. */
  styles: readonly string[];
}

/** By the path of the place. The build puts them here. */
export const NEEDS: Readonly<Record<string, FirstNeeds>> = {};
