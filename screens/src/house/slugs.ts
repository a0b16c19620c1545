/** A name for programs made of *label*: `Home port` is `home_port`. */
export const slugOf = (label: string) =>
  label
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "");
