// Writes `src/contract.ts`, the types of the contract, and `src/tool_names.ts`: which tools read, which write,
// and which answer with a secret that is shown once.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const SOURCES = join(dirname(fileURLToPath(import.meta.url)), "../src");
const contract = JSON.parse(await readFile(process.argv[2], "utf8"));
const names = { Reads: [], Writes: [], ShownOnce: [] };
for (const { post } of Object.values(contract.paths)) {
  const tool = post?.["x-tool"];
  if (!tool || post.deprecated) continue;
  const kind = tool.showsSecret ? "ShownOnce" : tool.effect === "reads" ? "Reads" : "Writes";
  names[kind].push(post.operationId);
}
const unions = Object.entries(names).map(
  ([kind, ofKind]) => `export type ${kind} =${ofKind.sort().map((name) => `\n  | "${name}"`).join("")};\n`,
);
await writeFile(join(SOURCES, "contract.ts"), astToString(await openapiTS(contract)));
await writeFile(join(SOURCES, "tool_names.ts"), `// Made of the contract by build/generate.mjs.\n${unions.join("")}`);
