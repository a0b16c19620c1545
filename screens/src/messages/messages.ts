/**
 * The words of all screens, in the person's language. A message is a text with `{names}`, or one for each
 * plural form; `say` fills it in. A second language is a folder beside `en` of the same shape.
 */
import { formatNumber, plurals } from "../house/formats";
import { frame } from "./en/frame";

export const messages = frame;

export type Message = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
type Texts<M extends Message> = M extends string ? M : M[keyof M] & string;
type Names<T extends string> = T extends `${string}{${infer N}}${infer Rest}` ? N | Names<Rest> : never;

/** *message* with its `{names}` filled in. The plural form is chosen by `n`; numbers are written as the organization does. */
export function say<const M extends Message>(message: M, values: Record<Names<Texts<M>>, string | number> & { n?: number }): string {
  const form = typeof message === "string" ? message : (message[plurals().select(values.n ?? 0)] ?? message.other);
  return form.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (values as Record<string, string | number>)[name] ?? "";
    return typeof value === "number" ? formatNumber(value) : value;
  });
}
