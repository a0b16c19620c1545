/** What is pasted to start a bridge: a finished program where there is one for the messenger, else its first call by hand. */
import type { Connection } from "./connection";

const PROGRAMS = {
  telegram: (to: string) => `${to} TELEGRAM_TOKEN=… python telegram.py`,
  xmpp: (to: string) => `${to} XMPP_SECRET=… python xmpp.py shop.example.com --server 127.0.0.1:5347`,
} as const;

type Program = keyof typeof PROGRAMS;

const isProgram = (messenger: string): messenger is Program => messenger in PROGRAMS;

type Served = Pick<Connection, "messenger" | "delivery">;

/** Those programs pull: where replies are pushed, the bridge is one's own. */
export function linesFor({ messenger, delivery }: Served, channelKey: string): { program: Program | "other" | "pushed"; lines: string } {
  const { origin } = location;
  if (isProgram(messenger) && delivery === "pull") {
    const start = PROGRAMS[messenger](`SVC_URL=${origin} SVC_CHANNEL_KEY=${channelKey}`);
    const lines = ["pip install svc-platform", `curl -O ${origin}/docs/bridges/${messenger}.py`, start].join("\n");
    return { program: messenger, lines };
  }
  const lines = [
    `curl ${origin}/api/channels/v1/channel.connection.report \\`,
    `  -H 'Authorization: Bearer ${channelKey}' -H 'Content-Type: application/json' \\`,
    `  -d '{"state": "online"}'`,
  ].join("\n");
  return { program: delivery === "push" ? "pushed" : "other", lines };
}
