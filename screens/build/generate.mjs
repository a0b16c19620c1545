// Writes `src/contract.ts`, the types of the contract; `src/tool_names.ts`: which tools read, which write, and
// which answer with a secret that is shown once; `src/tool_list.ts`: what people choose tools from;
// `src/tool_examples.ts`: an input of each; and `src/event_examples.ts`: what each event is, and a payload.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const SOURCES = join(dirname(fileURLToPath(import.meta.url)), "../src");
const contract = JSON.parse(await readFile(process.argv[2], "utf8"));
const names = { Reads: [], Writes: [], ShownOnce: [] };
const list = [];
const inputs = {};
for (const { post } of Object.values(contract.paths)) {
  const tool = post?.["x-tool"];
  if (!tool || post.deprecated) continue;
  const kind = tool.showsSecret ? "ShownOnce" : tool.effect === "reads" ? "Reads" : "Writes";
  names[kind].push(post.operationId);
  const { operationId: name, summary, tags, requestBody } = post;
  list.push({ name, summary, group: tags[0], effect: tool.effect, runs: tool.runs, needs: tool.needs ?? null });
  inputs[name] = requestBody?.content["application/json"].example ?? {};
}
const unions = Object.entries(names).map(
  ([kind, ofKind]) =>
    `export type ${kind} =${ofKind
      .sort()
      .map((name) => `\n  | "${name}"`)
      .join("")};\n`,
);
await writeFile(join(SOURCES, "contract.ts"), astToString(await openapiTS(contract)));
await writeFile(join(SOURCES, "tool_names.ts"), `// Made of the contract by build/generate.mjs.\n${unions.join("")}`);
await writeFile(
  join(SOURCES, "tool_list.ts"),
  `// Made of the contract by build/generate.mjs.
export interface ToolFacts {
  name: string;
  summary: string;
  group: string;
  effect: "reads" | "writes";
  runs: "open" | "approval" | "person";
  /** A permission. */
  needs: string | null;
}

export const TOOL_LIST: readonly ToolFacts[] = ${JSON.stringify(list)};\n`,
);
await writeFile(
  join(SOURCES, "tool_examples.ts"),
  `// Made of the contract by build/generate.mjs.\nexport const TOOL_EXAMPLES: Readonly<Record<string, unknown>> = ${JSON.stringify(inputs)};\n`,
);
const examples = Object.entries(contract.webhooks).map(([type, { post }]) => [
  type,
  { about: post.summary, payload: post.requestBody.content["application/json"].example },
]);
await writeFile(
  join(SOURCES, "event_examples.ts"),
  `// Made of the contract by build/generate.mjs.\nexport const EVENT_EXAMPLES = ${JSON.stringify(Object.fromEntries(examples), null, 2)} as const;\n`,
);
