/** What the service says of a file, and names of objects, as parts of sentences on a screen. */

/** What follows in a reason is for programs and the command line. */
const FOR_PROGRAMS = /(: make it, or give|: give|\. Give) `(makeMissing|dates)`.*$/s;

/** A reason as a sentence: from a capital on, with quotation marks. */
export function sentence(reason: string): string {
  const text = reason.replace(FOR_PROGRAMS, "").replace(/`([^`]*)`/g, "“$1”");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The name of an object within a sentence; one such as `VAT numbers` keeps its capitals. */
export function inSentence(label: string): string {
  return /^\p{Lu}\p{Ll}/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}
