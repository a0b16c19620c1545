/** How a tool is called from a program, with its example: what a developer copies. */
const KEY = "$SVC_API_KEY";

export type Language = "curl" | "python" | "typescript" | "mcp";

interface Called {
  origin: string;
  tool: string;
  example: unknown;
}

/** *text* within single quotes of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function curl(address: string, body: unknown, ...headers: string[]): string {
  return [
    `curl -sS ${address} \\`,
    `  -H "Authorization: Bearer ${KEY}" \\`,
    ...["Content-Type: application/json", ...headers].map((header) => `  -H ${quoted(header)} \\`),
    `  -d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join("\n");
}

/** JSON as a literal of Python, which calls three values otherwise. */
function literal(value: unknown, indent: string): string {
  const inner = `${indent}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) {
    const items = value.map((item) => `${inner}${literal(item, inner)},\n`);
    return items.length > 0 ? `[\n${items.join("")}${indent}]` : "[]";
  }
  if (typeof value === "object") {
    const members = Object.entries(value).map(([name, member]) => `${inner}${JSON.stringify(name)}: ${literal(member, inner)},\n`);
    return members.length > 0 ? `{\n${members.join("")}${indent}}` : "{}";
  }
  return JSON.stringify(value);
}

function python(address: string, body: unknown): string {
  return [
    "import os",
    "",
    "import httpx",
    "",
    "answer = httpx.post(",
    `    ${JSON.stringify(address)},`,
    `    headers={"Authorization": f"Bearer {os.environ['SVC_API_KEY']}"},`,
    `    json=${literal(body, "    ")},`,
    ")",
    "print(answer.status_code, answer.json())",
  ].join("\n");
}

function typescript(address: string, body: unknown): string {
  return [
    `const answer = await fetch(${JSON.stringify(address)}, {`,
    '  method: "POST",',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template of the program that is copied.
    '  headers: { Authorization: `Bearer ${process.env.SVC_API_KEY}`, "Content-Type": "application/json" },',
    `  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}),`,
    "});",
    "console.log(answer.status, await answer.json());",
  ].join("\n");
}

export function copyText(language: Language, { origin, tool, example }: Called): string {
  const address = `${origin}/api/v1/tools/${tool}`;
  switch (language) {
    case "curl":
      return curl(address, example);
    case "python":
      return python(address, example);
    case "typescript":
      return typescript(address, example);
    case "mcp": {
      const params = { name: "tool_call", arguments: { name: tool, arguments: example } };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      return curl(`${origin}/api/v1/mcp`, message, "Accept: application/json, text/event-stream");
    }
  }
}
