// Builds `screens/src` into `svc/http/screens/static`: names with a hash of their content, and a manifest
// that the shell reads. The same sources and the same lock file give the same bytes.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { sharing } from "./shared.mjs";
import { sprite } from "./sprite.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "..");
const OUT = join(ROOT, "../svc/http/screens/static");
const ADDRESS = "/app/static/";
const TARGETS = ["chrome123", "firefox121", "safari17.5"];

const named = (stem, suffix, bytes) =>
  `${stem}-${createHash("sha256").update(bytes).digest("hex").slice(0, 8).toUpperCase()}${suffix}`;

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });

const icons = await sprite(ROOT);
const iconsName = named("icons", ".svg", icons);
await writeFile(join(OUT, iconsName), icons);

const options = {
  absWorkingDir: ROOT,
  entryPoints: { app: "src/main.tsx", style: "src/styles/style.css" },
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: "esm",
  target: TARGETS,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { ICON_SPRITE: JSON.stringify(ADDRESS + iconsName) },
  metafile: true,
  logLevel: "warning",
};
const { metafile } = await esbuild.build({ ...options, write: false });
const built = await esbuild.build({ ...options, plugins: [sharing(ROOT, metafile)] });

const outputs = Object.entries(built.metafile.outputs).map(([path, output]) => [
  relative(OUT, join(ROOT, path)),
  output,
]);
const nameOf = (source) => outputs.find(([, output]) => output.entryPoint === source)[0];
const script = nameOf("src/main.tsx");
const byName = new Map(outputs);

// What the first script imports statically, so that the shell can have it fetched at once.
const preload = new Set(imports(script));

// What the shell sends along with each screen: its module, and the answers that it asks for first.
const { PLACES } = await plainModule(join(ROOT, "src/places.ts"));
const screens = PLACES.flatMap(({ path, load, asks = [] }) => {
  const source = `${/import\("\.\/(.+?)"\)/.exec(load.toString())[1]}.tsx`;
  const own = nameOf(`src/${source}`);
  const scripts = [own, ...imports(own)].filter((name) => name !== script && !preload.has(name));
  const paths = [path.replace(/\/\{\w+\?\}/g, ""), path.replace(/\?\}/g, "}")];
  return [...new Set(paths)].map((each) => ({ path: each, scripts, calls: asks }));
});

// `/app/` leads to the first screen of the navigation that the person may see: mostly to this one.
screens.push({ ...screens.find(({ path }) => path === PLACES.find(({ section }) => section)?.path), path: "/app/" });

// The navigation is on every screen, and so are its numbers.
const counts = PLACES.flatMap(({ count }) => (count ? [{ tool: count.tool, input: count.input }] : []));
if (counts.length > 0) screens.unshift({ path: "*", scripts: [], calls: counts });

const manifest = {
  script,
  preload: [...preload].sort(),
  style: nameOf("src/styles/style.css"),
  icons: iconsName,
  screens,
  files: [...byName.keys(), iconsName].sort(),
};
await writeFile(join(OUT, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await writeFile(join(OUT, "LICENSES.txt"), await licenses());

function imports(name, found = new Set()) {
  for (const { path, kind } of byName.get(name).imports) {
    const imported = relative(OUT, join(ROOT, path));
    if (kind === "import-statement" && !found.has(imported)) {
      found.add(imported);
      imports(imported, found);
    }
  }
  return [...found].sort();
}

/** A module that imports types and other such modules alone; the screens that it would load stay out. */
async function plainModule(path) {
  const { outputFiles } = await esbuild.build({ entryPoints: [path], bundle: true, write: false, format: "esm", external: ["./screens/*"] });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

async function licenses() {
  const texts = await Promise.all(
    ["preact", "@preact/signals", "@radix-ui/colors", "lucide-static"].map(async (name) => {
      const text = await readFile(join(ROOT, "node_modules", name, "LICENSE"), "utf8");
      return `${name}\n${"=".repeat(name.length)}\n${text.trim()}\n`;
    }),
  );
  return texts.join("\n");
}
