/** Shows the HTML of an embed as pages get it: the same as `/e.js` does, under the policy of the screens. */
import { parseInert } from "./trusted";

const PICTURE = `display:flex;align-items:center;justify-content:center;box-sizing:border-box;max-width:100%;
  margin:0 0 1em;padding:.6em .8em;border:1px dashed #8b8d98;border-radius:8px;background:#f4f5f7;color:#4a5561;
  font-size:.85em;text-align:center;overflow-wrap:anywhere`;

/**
 * Fill *host* with *html*. Styles are adopted, since the policy refuses inline ones; a picture from elsewhere is a
 * frame with its host, or with *ownSite* where its address is a path of the page. Links and forms do nothing.
 */
export function showFragment(host: HTMLElement, html: string, ownSite: string): void {
  const sheet = new CSSStyleSheet();
  const names = new Map<string, string>();
  const named = (style: string): string => {
    const known = names.get(style) ?? `s${names.size}`;
    if (!names.has(style)) sheet.insertRule(`.${known}{${style}}`, names.size);
    names.set(style, known);
    return known;
  };
  const parsed = parseInert(html.replace(/ style="([^"]*)"/g, (_, style: string) => ` class="${named(style)}"`));
  for (const picture of parsed.querySelectorAll("img")) {
    const source = picture.getAttribute("src") ?? "";
    const address = /^https?:/i.test(source) && URL.canParse(source) ? new URL(source) : null;
    if (address?.origin === location.origin) continue;
    const frame = parsed.createElement("div");
    const isLarge = picture.closest("td") === null;
    frame.className = named(isLarge ? `${PICTURE};height:12em;font-size:1.1em` : PICTURE);
    frame.textContent = address?.host ?? ownSite;
    frame.setAttribute("role", "img");
    frame.setAttribute("aria-label", frame.textContent);
    picture.replaceWith(frame);
  }
  const root = host.shadowRoot ?? withoutEffect(host.attachShadow({ mode: "open" }));
  root.adoptedStyleSheets = [sheet];
  root.replaceChildren(...parsed.body.childNodes);
}

function withoutEffect(root: ShadowRoot): ShadowRoot {
  const stop = (event: Event) => {
    if (event.type === "submit" || (event.target as Element).closest("a")) event.preventDefault();
  };
  for (const type of ["click", "auxclick", "submit"]) root.addEventListener(type, stop);
  return root;
}
