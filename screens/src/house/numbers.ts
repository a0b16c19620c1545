/** Numbers as people type them. */
import { partsOfNumber } from "./formats";

/** The number that *text* is, as people here write it or as programs do; null where it is none. */
export function readNumber(text: string): number | null {
  const parts = partsOfNumber(-12_345.6);
  const sign = (type: "decimal" | "group") => parts.find((part) => part.type === type)?.value ?? "";
  const [decimal, group] = [sign("decimal"), sign("group")];
  const bare = text
    .trim()
    .replace(/[\s'’]/g, "")
    .replace("−", "-");
  const isGrouped = new RegExp(`^[-+]?\\d{1,3}(\\${group || ","}\\d{3})+(\\${decimal}\\d*)?$`).test(bare);
  const plain = isGrouped ? bare.replaceAll(group, "").replace(decimal, ".") : bare.replace(decimal, ".");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : null;
}
