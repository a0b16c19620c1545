/**
 * What each screen asks first, of which address. A screen asks by this table and so does the shell, which has
 * the answers in it: a question is written once. The build reads this list, so it imports types alone.
 */
import type { Question } from "./house/questions";

export const FORMS = { tool: "form.list", input: {} } as const satisfies Question;
export const FORM = { tool: "form.get", input: { id: "{form}" } } as const satisfies Question;
export const SUBMISSION_OF_FORM = { tool: "submission.get", input: { id: "{submission}" } } as const satisfies Question;
export const SUBMISSION_COUNTS = { tool: "submission.counts", input: {} } as const satisfies Question;
export const SUBMISSIONS = {
  tool: "submission.list",
  input: { state: "{?state}", formId: "{?form}", search: "{?q}", limit: 50 },
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

export const OBJECTS = { tool: "object.list", input: {} } as const satisfies Question;
export const OBJECT = { tool: "object.get", input: { objectType: "{object}" } } as const satisfies Question;

export const IMPORT = { tool: "import.get", input: { id: "{import}" } } as const satisfies Question;
/** The newest, where the address names none. */
export const NEWEST_IMPORT = { tool: "import.list", input: { limit: 1 }, without: ["import"] } as const satisfies Question;

export const API_KEYS = { tool: "apikey.list", input: {} } as const satisfies Question;
export const SERVER_KEYS = { tool: "serverkey.list", input: {} } as const satisfies Question;
