/**
 * What each screen asks first, of which address. A screen asks by this table and so does the shell, which has
 * the answers in it: a question is written once. The build reads this list, so it imports types alone.
 */
import type { Question } from "./house/questions";

export const HOME = { tool: "home.get", input: {} } as const satisfies Question;

/** Those of the first view. */
export const CONVERSATIONS = {
  tool: "conversation.list",
  input: { status: "open", snoozed: false, limit: 50 },
  without: ["view", "q"],
} as const satisfies Question;
export const CONVERSATION = { tool: "conversation.get", input: { id: "{conversation}" } } as const satisfies Question;
export const MESSAGES = { tool: "message.list", input: { conversationId: "{conversation}", limit: 50 } } as const satisfies Question;

/** Those that wait; the address of a history says otherwise. */
export const APPROVALS = {
  tool: "approval.list",
  input: { ended: false, limit: 50 },
  without: ["ended", "state"],
} as const satisfies Question;
export const APPROVAL = { tool: "approval.get", input: { id: "{open}" } } as const satisfies Question;

export const FORMS = { tool: "form.list", input: {} } as const satisfies Question;
export const FORM = { tool: "form.get", input: { id: "{form}" } } as const satisfies Question;
export const SUBMISSION_OF_FORM = { tool: "submission.get", input: { id: "{submission}" } } as const satisfies Question;
export const SUBMISSION_COUNTS = { tool: "submission.counts", input: {} } as const satisfies Question;
export const SUBMISSIONS = {
  tool: "submission.list",
  input: { state: "{?state}", formId: "{?form}", search: "{?q}", limit: 50 },
  without: ["discarded"],
} as const satisfies Question;
export const SUBMISSION = { tool: "submission.get", input: { id: "{open}" } } as const satisfies Question;

export const EMBEDS = { tool: "embed.list", input: { limit: 50 } } as const satisfies Question;
export const EMBED = { tool: "embed.get", input: { id: "{embed}" } } as const satisfies Question;
export const EMBED_PREVIEW = { tool: "embed.preview", input: { id: "{embed}" } } as const satisfies Question;
export const SITES = { tool: "site.list", input: {} } as const satisfies Question;

export const ORGANIZATION = { tool: "organization.get", input: {} } as const satisfies Question;
export const MEMBERS = {
  tool: "member.list",
  input: { role: "{?role}", team: "{?team}", status: "{?status}", limit: 50 },
} as const satisfies Question;
export const MEMBER = { tool: "member.list", input: { id: "{open}" } } as const satisfies Question;
/** Its answer has the invitations. */
export const INVITATIONS = { tool: "member.list", input: { limit: 1 } } as const satisfies Question;
/** For names. */
export const PEOPLE = { tool: "member.list", input: { limit: 200 } } as const satisfies Question;
export const ROLES = { tool: "role.list", input: {} } as const satisfies Question;
export const NOTICES = { tool: "notice.get", input: {} } as const satisfies Question;
export const TEAMS = { tool: "team.list", input: {} } as const satisfies Question;
/** Without its days, which begin and end by the organization's time zone: then the screen asks more. */
export const AUDIT = {
  tool: "audit.list",
  input: { outcome: "{?outcome}", personId: "{?person}", action: "{?action}", target: "{?target}", callerId: "{?caller}", limit: 50 },
  without: ["from", "until"],
} as const satisfies Question;

/** What a trail can be narrowed to, of all time. */
export const AUDIT_ACTIONS = { tool: "audit.list", input: { actions: true, limit: 1 } } as const satisfies Question;

export const WORKFLOWS = { tool: "workflow.list", input: { limit: 200 } } as const satisfies Question;
export const WORKFLOW = { tool: "workflow.get", input: { id: "{workflow}" } } as const satisfies Question;
/** What may start one, and what steps there are. */
export const WORKFLOW_PARTS = { tool: "workflow.trigger_list", input: {}, without: ["tab"] } as const satisfies Question;
export const WORKFLOW_RUN = { tool: "workflow.run_get", input: { id: "{run}" } } as const satisfies Question;

export const OBJECTS = { tool: "object.list", input: {} } as const satisfies Question;
export const OBJECT = { tool: "object.get", input: { objectType: "{object}" } } as const satisfies Question;

export const RECORD = {
  tool: "record.get",
  input: { objectType: "{object}", id: "{record}", texts: true },
} as const satisfies Question;
export const RELATED = {
  tool: "record.get",
  input: { objectType: "{object}", id: "{record}", fields: [], related: { limit: 50 } },
} as const satisfies Question;
export const TIMELINE = {
  tool: "record.timeline",
  input: { objectType: "{object}", id: "{record}", limit: 50 },
} as const satisfies Question;
export const SUGGESTIONS = { tool: "suggestion.list", input: { recordId: "{record}", limit: 50 } } as const satisfies Question;
export const DUPLICATES = {
  tool: "record.duplicates",
  input: { objectType: "{object}", limit: 50 },
  without: ["with"],
} as const satisfies Question;
export const FILES = { tool: "file.list", input: { usedBy: "{record}", limit: 50 } } as const satisfies Question;
/** Parameters of the address with which a list of records is another one than all, by their making. */
const NARROWED = ["saved", "filter", "sort", "columns", "q", "view"];
export const RECORDS = {
  tool: "record.list",
  input: { objectType: "{object}", texts: true, limit: 50 },
  without: NARROWED,
} as const satisfies Question;
export const RECORD_COUNT = {
  tool: "record.count",
  input: { objectType: "{object}" },
  without: ["saved", "filter", "q"],
} as const satisfies Question;
export const RECORD_VIEWS = { tool: "view.list", input: { tool: "record.list" } } as const satisfies Question;

export const IMPORT = { tool: "import.get", input: { id: "{import}" } } as const satisfies Question;
/** The newest, where the address names none. */
export const NEWEST_IMPORT = { tool: "import.list", input: { limit: 1 }, without: ["import"] } as const satisfies Question;

export const IMPORTS = { tool: "import.list", input: { limit: 50 } } as const satisfies Question;

export const AGENTS = { tool: "agent.list", input: {} } as const satisfies Question;
export const AGENT = { tool: "connection.get", input: { id: "{open}" } } as const satisfies Question;
export const AGENT_RUN = { tool: "agent.run_get", input: { id: "{run}" } } as const satisfies Question;
export const AI_PROVIDERS = { tool: "ai.provider_list", input: {} } as const satisfies Question;
export const AI_MODELS = { tool: "ai.model_list", input: {} } as const satisfies Question;
/** Without its days, as the audit trail. */
export const REQUESTS = {
  tool: "request.list",
  input: { keyId: "{?key}", tool: "{?tool}", status: "{?status}", limit: 50 },
  without: ["from", "until"],
} as const satisfies Question;
export const KEY_REQUESTS = { tool: "request.list", input: { keyId: "{key}", status: "{?status}", limit: 50 } } as const satisfies Question;

export const API_KEYS = { tool: "apikey.list", input: {} } as const satisfies Question;
export const GRANTS = { tool: "grant.list", input: {} } as const satisfies Question;
export const APPS = { tool: "app.list", input: {} } as const satisfies Question;
export const SERVER_KEYS = { tool: "serverkey.list", input: {} } as const satisfies Question;

export const CONNECTIONS = { tool: "connection.list", input: { limit: 50 } } as const satisfies Question;
export const OWN_CONNECTIONS = { tool: "connection.list", input: { mine: true, limit: 50 } } as const satisfies Question;
export const CONNECTION = { tool: "connection.get", input: { id: "{open}" } } as const satisfies Question;

export const WEBHOOKS = { tool: "webhook.list", input: { limit: 50 } } as const satisfies Question;
export const WEBHOOK = { tool: "webhook.get", input: { id: "{webhook}" } } as const satisfies Question;
export const DELIVERIES = {
  tool: "webhook.delivery_list",
  input: { webhookId: "{webhook}", state: "{?state}", event: "{?event}", limit: 50 },
  without: ["tab"],
} as const satisfies Question;
export const DELIVERY = {
  tool: "webhook.delivery_list",
  input: { webhookId: "{webhook}", id: "{open}" },
  without: ["tab"],
} as const satisfies Question;
