/** The one place where a text becomes nodes: the policy `svc` of Trusted Types, for parsing alone. */
interface Policy {
  createHTML(text: string): string;
}

interface Factory {
  createPolicy(name: string, rules: { createHTML: (text: string) => string }): Policy;
}

const factory = (window as unknown as { trustedTypes?: Factory }).trustedTypes;
const policy: Policy = factory?.createPolicy("svc", { createHTML: (text) => text }) ?? { createHTML: (text) => text };

/** Parse *html* into a document of its own, in which no script runs and nothing is loaded. */
export function parseInert(html: string): Document {
  return new DOMParser().parseFromString(policy.createHTML(html), "text/html");
}
