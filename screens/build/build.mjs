// Builds `screens/src` into `svc/http/screens/static`: names with a hash of their content, and a manifest
// that the shell reads. The same sources and the same lock file give the same bytes.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { sharing } from "./shared.mjs";
import { sprite } from "./sprite.mjs";
import { leftOut, styleSheets } from "./styles.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "..");
const OUT = join(ROOT, "../svc/http/screens/static");
const ADDRESS = "/app/static/";
const TARGETS = ["chrome123", "firefox121", "safari17.5"];

const named = (stem, suffix, bytes) => `${stem}-${createHash("sha256").update(bytes).digest("hex").slice(0, 8).toUpperCase()}${suffix}`;

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });

const icons = await sprite(ROOT);
const iconsName = named("icons", ".svg", icons);
await writeFile(join(OUT, iconsName), icons);

const common = {
  absWorkingDir: ROOT,
  outdir: OUT,
  bundle: true,
  format: "esm",
  target: TARGETS,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  external: ["/look/*"],
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  metafile: true,
  logLevel: "warning",
  logOverride: { "ignored-bare-import": "silent" }, // The styles that scripts leave out.
};
const options = {
  ...common,
  entryPoints: { app: "src/main.tsx" },
  splitting: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { ICON_SPRITE: JSON.stringify(ADDRESS + iconsName) },
};
const { PLACES } = await plainModule(join(ROOT, "src/places.ts"));
const importedBy = new Map();
const { metafile } = await esbuild.build({ ...options, plugins: [leftOut(ROOT, importedBy), firstNeeds({})], write: false });
const styles = await styleSheets(common, metafile, importedBy, PLACES.map(sourceOf));
const stylesOf = new Map(PLACES.map((place) => [place.path, styles.wantedBy(sourceOf(place))]));
const needs = Object.fromEntries(PLACES.map(({ path, asks = [] }) => [path, { asks, styles: stylesOf.get(path) }]));
const built = await esbuild.build({ ...options, plugins: [leftOut(ROOT), firstNeeds(needs), sharing(ROOT, metafile)] });

const outputs = Object.entries(built.metafile.outputs).map(([path, output]) => [relative(OUT, join(ROOT, path)), output]);
const nameOf = (source) => outputs.find(([, output]) => output.entryPoint === source)[0];
const script = nameOf("src/main.tsx");
const byName = new Map(outputs);

// What the first script imports statically, so that the shell can have it fetched at once.
const preload = new Set(imports(script));

// What the shell sends along with each screen: its module, its styles, and the answers that it asks for first.
const screens = PLACES.flatMap((place) => {
  const { path, asks = [] } = place;
  const own = nameOf(sourceOf(place));
  const scripts = [own, ...imports(own)].filter((name) => name !== script && !preload.has(name));
  const paths = [path.replace(/\/\{\w+\?\}/g, ""), path.replace(/\?\}/g, "}")];
  return [...new Set(paths)].map((each) => ({ path: each, scripts, styles: stylesOf.get(path), calls: asks }));
});

// The navigation is on every screen, and so are its numbers and the names of the objects.
const counts = PLACES.flatMap(({ count }) => (count ? [{ tool: count.tool, input: count.input }] : []));
if (PLACES.some(({ ofObjects }) => ofObjects)) counts.push({ tool: "object.list", input: {} });
if (counts.length > 0) screens.unshift({ path: "*", scripts: [], styles: [], calls: counts });

// The operator's live view is a page of its own: one script, of which the screens load nothing.
const debugBuilt = [
  await esbuild.build({ ...options, entryPoints: { debug: "src/debug/main.tsx" }, plugins: [leftOut(ROOT)], splitting: false }),
  await esbuild.build({ ...common, entryPoints: { "debug-style": "src/debug/debug.css" } }),
];
const debugOutputs = debugBuilt
  .flatMap(({ metafile: { outputs } }) => Object.entries(outputs))
  .map(([path, { entryPoint }]) => [relative(OUT, join(ROOT, path)), entryPoint]);
const debugName = (source) => debugOutputs.find(([, entryPoint]) => entryPoint === source)[0];

const manifest = {
  script,
  preload: [...preload].sort(),
  style: styles.base,
  icons: iconsName,
  screens,
  debug: { script: debugName("src/debug/main.tsx"), style: debugName("src/debug/debug.css") },
  files: [...byName.keys(), ...styles.names, ...debugOutputs.map(([name]) => name), iconsName].sort(),
};
await writeFile(join(OUT, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await writeFile(join(OUT, "LICENSES.txt"), await licenses());

/** A plugin: what each place asks first is no part of `places.ts` in the browser, but with its styles in `frame/first_needs.ts`. */
function firstNeeds(needs) {
  return {
    name: "first needs",
    setup(build) {
      build.onLoad({ filter: /\/src\/places\.ts$/ }, async ({ path }) => ({
        contents: (await readFile(path, "utf8")).replace(/^import \* as ask .*$/m, "").replace(/^ +asks: \[[^\]]*\],$/gm, ""),
        loader: "ts",
      }));
      build.onLoad({ filter: /\/src\/frame\/first_needs\.ts$/ }, () => ({ contents: `export const NEEDS = ${JSON.stringify(needs)};` }));
    },
  };
}

/** The source of the screen of a place, from the import that loads it. */
function sourceOf({ load }) {
  return `src/${/import\("\.\/(.+?)"\)/.exec(load.toString())[1]}.tsx`;
}

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
  const { outputFiles } = await esbuild.build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "esm",
    external: ["./screens/*"],
  });
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
