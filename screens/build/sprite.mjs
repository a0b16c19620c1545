// One file with the icons that are used, each a `<symbol>` of its Lucide name.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export async function sprite(root) {
  const source = await readFile(join(root, "src/parts/icon_names.ts"), "utf8");
  const names = [...source.matchAll(/^ {2}"([a-z0-9-]+)",$/gm)].map(([, name]) => name);
  const symbols = await Promise.all(names.map((name) => symbol(root, name)));
  return `<svg xmlns="http://www.w3.org/2000/svg"><!-- Lucide, ISC: see LICENSES.txt -->${symbols.join("")}</svg>\n`;
}

async function symbol(root, name) {
  const svg = await readFile(join(root, "node_modules/lucide-static/icons", `${name}.svg`), "utf8");
  const shapes = svg
    .replace(/^[\s\S]*?<svg[\s\S]*?>/, "")
    .replace("</svg>", "")
    .replace(/\s*\n\s*/g, "");
  const drawn = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';
  return `<symbol id="${name}" viewBox="0 0 24 24" ${drawn}>${shapes}</symbol>`;
}
