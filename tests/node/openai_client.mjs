// The official npm package `openai` against a demo: `node openai_client.mjs BASE_URL GATEWAY_KEY API_KEY`.
import assert from "node:assert/strict";

import OpenAI from "openai";

const [baseURL, gatewayKey, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: gatewayKey, maxRetries: 0 });
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];
const asked = (text) => ({ model: "demo-echo", messages: [{ role: "user", content: text }] });

const checks = {
  "an answer": async () => {
    const { data, response } = await client.chat.completions.create(asked("Hello")).withResponse();
    assert.equal(data.choices[0].message.content, "Echo: Hello");
    assert.equal(data.usage.cost_micro_credits, 13);
    assert.ok(response.headers.get("ratelimit-remaining"));
  },
  "a stream": async () => {
    const options = { stream: true, stream_options: { include_usage: true } };
    const words = [];
    let usage;
    for await (const chunk of await client.chat.completions.create({ ...asked("Hello my lamps"), ...options })) {
      words.push(chunk.choices[0]?.delta.content ?? "");
      usage = chunk.usage ?? usage;
    }
    assert.equal(words.join(""), "Echo: Hello my lamps");
    assert.equal(usage.completion_tokens, 5);
  },
  "a stream that is left": async () => {
    const stream = await client.chat.completions.create({ ...asked("Hello my lamps"), stream: true });
    for await (const chunk of stream) {
      assert.ok(chunk.choices);
      break;
    }
    assert.ok(stream.controller.signal.aborted);
  },
  "a tool, whole": async () => {
    const question = { ...asked('Weather?\ncall: weather {"city": "Oslo"}'), tools };
    const { choices } = await client.chat.completions.create(question);
    const [call] = choices[0].message.tool_calls;
    assert.deepEqual([call.function.name, choices[0].finish_reason], ["weather", "tool_calls"]);
    const result = { role: "tool", tool_call_id: call.id, content: "It rains." };
    const messages = [...question.messages, choices[0].message, result];
    const answer = await client.chat.completions.create({ ...question, messages });
    assert.equal(answer.choices[0].message.content, "It rains.");
  },
  "a tool, streamed and run by the package": async () => {
    const asks = [];
    const weather = {
      type: "function",
      function: {
        name: "weather",
        parameters: { type: "object", properties: {} },
        parse: JSON.parse,
        function: ({ city }) => {
          asks.push(city);
          return "It rains.";
        },
      },
    };
    const question = { ...asked('Weather?\ncall: weather {"city": "Oslo"}'), stream: true, tools: [weather] };
    assert.equal(await client.chat.completions.runTools(question).finalContent(), "It rains.");
    assert.deepEqual(asks, ["Oslo"]);
  },
  "models": async () => {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    assert.ok(ids.includes("demo-echo"));
    const model = await client.models.retrieve("demo-echo");
    assert.ok(model.created > 1_700_000_000);
  },
  "what there is, at other addresses": async () => {
    const says = (error) => error.code === "unknown_url" && /POST \/api\/ai\/v1\/chat\/completions/.test(error.message);
    await assert.rejects(client.responses.create({ model: "demo-echo", input: "Hello" }), says);
    await assert.rejects(client.embeddings.create({ model: "demo-echo", input: "Hello" }), says);
  },
  "a format, and a tool that has to be called": async () => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const response_format = { type: "json_schema", json_schema: { name: "lamp", strict: true, schema } };
    const parsed = await client.chat.completions.parse({ ...asked("Which?"), response_format });
    assert.deepEqual(parsed.choices[0].message.parsed, { name: "" });
    const required = await client.chat.completions.create({ ...asked("Rain?"), tools, tool_choice: "required" });
    assert.equal(required.choices[0].message.tool_calls[0].function.name, "weather");
  },
  "errors by their classes": async () => {
    const unknown = client.chat.completions.create({ ...asked("Hello"), model: "none" });
    await assert.rejects(unknown, (error) => error instanceof OpenAI.NotFoundError && error.code === "model_not_found");
    const bad = client.chat.completions.create({ model: "demo-echo", messages: [] });
    await assert.rejects(bad, (error) => error instanceof OpenAI.BadRequestError && error.param === "messages");
    const unauthorized = new OpenAI({ baseURL, apiKey: "svcg_none", maxRetries: 0 }).models.list();
    await assert.rejects(unauthorized, OpenAI.AuthenticationError);
    const forbidden = new OpenAI({ baseURL, apiKey, maxRetries: 0 }).models.list();
    await assert.rejects(forbidden, OpenAI.PermissionDeniedError);
  },
};

for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log(`✓ ${name}`);
}
