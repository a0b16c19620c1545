/** How well a text fits what is typed: by words and their parts, and by words that are nearly so. */

/** Letters that a word may have wrong, by its length: short words are near to too many others. */
const SLIPS: [length: number, slips: number][] = [
  [8, 2],
  [4, 1],
];

const plain = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
const wordsOf = (text: string): string[] =>
  plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** What was typed, cut into words, once for all texts that it is compared with. */
export const termsOf = (typed: string): string[] => wordsOf(typed);

/** How well *text* fits all of *terms*; 0 where it does not. A word as it is counts more than a part, and a slip least. */
export function fit(text: string, terms: readonly string[]): number {
  const words = wordsOf(text);
  let sum = 0;
  for (const term of terms) {
    const best = Math.max(0, ...words.map((word) => fitOf(word, term)));
    if (best === 0) return 0;
    sum += best;
  }
  // Of equally good ones, the shorter: more of it was typed.
  return sum / terms.length - words.length / 1_000;
}

function fitOf(word: string, term: string): number {
  if (word === term) return 4;
  if (word.startsWith(term)) return 3;
  if (word.includes(term)) return 2;
  const slips = SLIPS.find(([length]) => term.length >= length)?.[1] ?? 0;
  return slips > 0 && isNear(word, term, slips) ? 1 : 0;
}

/** Whether *term* is *word*, or the beginning of it, but for so many slips; the first letter is mostly right. */
function isNear(word: string, term: string, slips: number): boolean {
  if (word[0] !== term[0] && word[1] !== term[1]) return false;
  for (let length = term.length - slips; length <= term.length + slips; length += 1) {
    if (length <= word.length && distance(word.slice(0, length), term) <= slips) return true;
  }
  return false;
}

/** Letters to change, add, leave out or exchange with the next (optimal string alignment). */
export function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1];
      const changed = (last[at - 1] as number) + (isSame ? 0 : 1);
      let least = Math.min(changed, (last[at] as number) + 1, (next[at - 1] as number) + 1);
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]) {
        least = Math.min(least, (before[at - 2] as number) + 1);
      }
      next.push(least);
    }
    before = last;
    last = next;
  }
  return last[other.length] as number;
}
