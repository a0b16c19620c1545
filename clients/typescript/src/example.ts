// What a program does with the generated types. `make client` checks it against the contract of this state.

import createClient from "openapi-fetch";

import type { components, paths } from "./contract.js";

type Contact = components["schemas"]["RecordAnswer"];

/** A client of the service at `address` that calls with `key`. */
export function clientOf(address: string, key: string) {
  return createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${key}` } });
}

/** Make a contact. However often it is called with one `attempt`, there is one contact. */
export async function createContact(
  client: ReturnType<typeof clientOf>,
  attempt: string,
  email: string,
): Promise<Contact> {
  const { data, error, response } = await client.POST("/api/v1/tools/record.create", {
    params: { header: { "Idempotency-Key": attempt } },
    body: { objectType: "contact", properties: { email } },
  });
  if (data) return data;
  if (error.code === "rate_limited") {
    throw new Error(`come again in ${response.headers.get("Retry-After")} seconds`);
  }
  const faults = error.errors?.map((fault) => `${fault.pointer}: ${fault.detail}`);
  throw new Error(`${error.title}: ${faults?.join(", ") ?? error.detail}`);
}

/** What the compiler refuses: a field that a tool does not take or answer, and a code that it never answers. */
export async function mistakes(client: ReturnType<typeof clientOf>) {
  // @ts-expect-error: `kind` is no field of the input
  const asked: components["schemas"]["GetRecord"] = { objectType: "contact", id: "rec_1", kind: "lead" };
  const { data, error } = await client.POST("/api/v1/tools/record.get", { body: asked });
  // @ts-expect-error: reading ends in no conflict
  if (error?.code === "conflict") return undefined;
  // @ts-expect-error: a record has no such field
  return data?.createdOn;
}
