// Bundles `test/gallery.tsx` to standard output, for the tests of parts.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const built = await esbuild.build({
  absWorkingDir: join(dirname(fileURLToPath(import.meta.url)), ".."),
  entryPoints: ["test/gallery.tsx"],
  bundle: true,
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { ICON_SPRITE: JSON.stringify("/docs/icon.svg") },
  write: false,
});
process.stdout.write(built.outputFiles[0].contents);
