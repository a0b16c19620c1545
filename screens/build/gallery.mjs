// Bundles a file of `test/` to standard output, for tests: the gallery of parts, unless another is named.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { leftOut } from "./styles.mjs";

const [, , entry = "gallery.tsx"] = process.argv;
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = await esbuild.build({
  absWorkingDir: ROOT,
  entryPoints: [join("test", entry)],
  bundle: true,
  format: "esm",
  platform: entry.endsWith(".mjs") ? "node" : "browser",
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [leftOut(ROOT)],
  define: { ICON_SPRITE: JSON.stringify("/docs/icon.svg") },
  write: false,
});
process.stdout.write(built.outputFiles[0].contents);
