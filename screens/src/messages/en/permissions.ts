/** The names of permissions. */
export const permissions = {
  "records.read": "See records",
  "records.write": "Change records",
  forms: "Forms",
  embeds: "Embeds",
  channels: "Messengers",
  conversations: "Conversations",
  workflows: "Workflows",
  webhooks: "Webhooks",
  ai: "AI",
  settings: "Settings",
  security: "Sign-in and API keys",
} as const;
