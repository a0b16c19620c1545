// What is built into one file together: the sources that many screens share, and those that a group of them shares.
// By itself esbuild makes a file for each set of screens that share something, and a visit fetches twenty small ones.
import { readFile } from "node:fs/promises";
import { relative } from "node:path";

const MANY = 34; // Screens, of some sixty; what fewer share is a file that only they load.
const PLACES = "src/places.ts"; // Which loads every screen.
const FIRST = "src/main.tsx"; // Loaded with every screen, and so is what it shares with any.
const PREFIX = "svc:shared:";

/** A plugin for a build of *root* like the one that made *metafile* without it. */
export function sharing(root, metafile) {
  const users = usersOf(metafile);
  const places = new Set(metafile.inputs[PLACES].imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => path));
  const sharedBy = new Map(); // Name of what is shared, to its sources.
  const wants = new Map(); // Screen, to the names of what it shares.
  for (const [source, screens] of users) {
    const groups = new Set([...screens].map(groupOf));
    const isMany = [...screens].filter((screen) => places.has(screen)).length >= MANY || (screens.size > 1 && screens.has(FIRST));
    // What a part of a screen needs that is loaded later is no reason to load it with the others of the group.
    const isOfGroup = groups.size === 1 && [...screens].filter((screen) => places.has(screen)).length > 1;
    const name = isMany ? "many" : isOfGroup ? [...groups][0] : null;
    if (name === null || !source.startsWith("src/") || screens.has(source)) continue;
    sharedBy.set(name, [...(sharedBy.get(name) ?? []), source]);
  }
  const entries = new Set([...users.values()].flatMap((screens) => [...screens]));
  for (const entry of entries)
    wants.set(
      entry,
      ["many", groupOf(entry)].filter((name) => sharedBy.has(name)),
    );
  return {
    name: "sharing",
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${PREFIX}`) }, ({ path }) => ({ path: path.slice(PREFIX.length), namespace: "shared" }));
      build.onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => ({
        contents: imports(sharedBy.get(path).map((source) => `./${source}`)),
        resolveDir: root,
      }));
      build.onLoad({ filter: /\.tsx$/ }, async ({ path }) => {
        const names = wants.get(relative(root, path));
        if (!names) return undefined;
        return { contents: imports(names.map((name) => PREFIX + name)) + (await readFile(path, "utf8")), loader: "tsx" };
      });
    },
  };
}

const imports = (paths) =>
  paths
    .sort()
    .map((path) => `import ${JSON.stringify(path)};`)
    .join("");
// By folder: a list and the page of what it lists are two groups, since neither needs the words of the other.
const groupOf = (entry) => /^src\/screens\/(.+)\/\w+\.tsx$/.exec(entry)?.[1] ?? "main";

/** By source: the screens, and the first script, that load it. */
function usersOf({ outputs }) {
  const users = new Map();
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (!entryPoint?.endsWith(".tsx")) continue;
    const loaded = new Set();
    const load = (one) => {
      if (loaded.has(one)) return;
      loaded.add(one);
      for (const { path: next, kind } of outputs[one].imports) if (kind === "import-statement") load(next);
    };
    load(path);
    for (const one of loaded) {
      for (const source of Object.keys(outputs[one].inputs)) users.set(source, (users.get(source) ?? new Set()).add(entryPoint));
    }
  }
  return users;
}
