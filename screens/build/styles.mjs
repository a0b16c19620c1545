// The styles that are on every page, and those of some screens alone. A module imports what styles what it draws, and a
// screen gets the styles of all that it loads, now or later.
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import * as esbuild from "esbuild";

const BASE = "src/styles/style.css";
const PLACES = "src/places.ts"; // Which loads every screen.

/** A plugin that leaves the styles out of scripts, and notes in *importedBy* which module imports which. */
export const leftOut = (root, importedBy = new Map()) => ({
  name: "left out",
  setup(build) {
    build.onResolve({ filter: /\.css$/ }, ({ path, importer, resolveDir, kind }) => {
      if (kind !== "import-statement") return undefined;
      const module = relative(root, importer);
      importedBy.set(module, [...(importedBy.get(module) ?? []), relative(root, join(resolveDir, path))]);
      return { path, namespace: "style", sideEffects: false };
    });
    build.onLoad({ filter: /.*/, namespace: "style" }, () => ({ contents: "" }));
  },
});

/** Builds them by *options*; *screens* are the sources of all screens, and *metafile* and *importedBy* say what they import. */
export async function styleSheets(options, metafile, importedBy, screens) {
  const wanted = new Map(screens.map((source) => [source, stylesOf(metafile, importedBy, source)]));
  const sharers = (sheet) => [...wanted.values()].filter((sheets) => sheets.includes(sheet)).length;
  const sources = [...new Set([...wanted.values()].flat())].sort((a, b) => sharers(b) - sharers(a) || (a < b ? -1 : 1));
  // Layers, so that it does not matter in which order they are loaded. What fewer share is above what more do.
  const layers = ["base", ...sources.map(layerOf)].join(", ");
  const base = await build(options, BASE, `@layer ${layers};@import "./${BASE}" layer(base);`);
  const names = new Map();
  for (const source of sources) names.set(source, await build(options, source, `@import "./${source}" layer(${layerOf(source)});`));
  return {
    base,
    names: [base, ...names.values()],
    wantedBy: (screen) => wanted.get(screen).map((source) => names.get(source)),
  };
}

const layerOf = (source) => basename(source, ".css");

async function build(options, source, contents) {
  const stdin = { contents, loader: "css", resolveDir: options.absWorkingDir };
  const { outputFiles } = await esbuild.build({ ...options, stdin, write: false });
  const [{ contents: bytes }] = outputFiles;
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 8).toUpperCase();
  const name = `${layerOf(source)}-${digest}.css`;
  await writeFile(join(options.outdir, name), bytes);
  return name;
}

/** What is imported from *source* on, by modules that it loads at once or later. */
function stylesOf({ inputs }, importedBy, source) {
  const seen = new Set([PLACES]);
  const look = (one) => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const { path } of inputs[one]?.imports ?? []) look(path);
  };
  look(source);
  return [...new Set([...seen].flatMap((module) => importedBy.get(module) ?? []))].sort();
}
