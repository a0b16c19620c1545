// The official client, npm's `@modelcontextprotocol/sdk`, from the address alone: `node sdk_client.mjs ADDRESS`.
//
// It prints the address that a person has to open, and the result of a call for each line that it is sent. What
// it keeps is a file below HOME, as with other programs.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const address = new URL(process.argv[2]);
const callbacks = createServer((request, response) => {
  response.end("Back in the app");
  const answer = new URL(request.url, "http://127.0.0.1").searchParams;
  if (answer.has("code")) callbacks.emit("code", answer);
}).listen(0, "127.0.0.1");
await once(callbacks, "listening");

const kept = {};
const keep = (name) => (value) => {
  kept[name] = value;
  writeFileSync(join(homedir(), "kept.json"), JSON.stringify(kept));
};
const person = {
  redirectUrl: `http://127.0.0.1:${callbacks.address().port}/callback`,
  get clientMetadata() {
    return { client_name: "SDK", redirect_uris: [this.redirectUrl], token_endpoint_auth_method: "none" };
  },
  clientInformation: () => kept.client,
  saveClientInformation: keep("client"),
  tokens: () => kept.tokens,
  saveTokens: keep("tokens"),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: keep("verifier"),
  redirectToAuthorization: (url) => console.log(`open ${url}`),
  invalidateCredentials: (what) => what === "tokens" && delete kept.tokens,
};

async function connect() {
  const client = new Client({ name: "sdk", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(address, { authProvider: person });
  try {
    await client.connect(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const [answer] = await once(callbacks, "code");
    assert.equal(answer.get("iss"), address.origin);
    await transport.finishAuth(answer.get("code"));
    return connect();
  }
  return client;
}

let client = await connect();
const call = () => client.callTool({ name: "tool_call", arguments: { name: "caller_get", arguments: {} } });
for await (const _ of createInterface({ input: process.stdin })) {
  try {
    console.log(`result ${JSON.stringify((await call()).structuredContent)}`);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    console.log("refused");
  }
}
await client.close();
callbacks.close();
