/**
 * Every screen: its address, its name, its place in the navigation, and what it asks first. To add a screen is
 * to add a line here and its module (see README.md). The build reads this list, so it imports types alone.
 */
import type { ComponentType } from "preact";
import type { ScreenProps } from "./frame/screen";
import type { Permission } from "./house/boot";
import type { Question } from "./house/questions";
import type { Reads } from "./house/tools";
import type { frame } from "./messages/en/frame";
import type { palette } from "./messages/en/palette";
import type { IconName } from "./parts/icon_names";
import * as ask from "./questions";

export interface PlaceCount {
  tool: Reads;
  input: Record<string, unknown>;
  member: string;
  /** What they do, for those who do not see where the number stands; they wait unless it says otherwise. */
  says?: keyof typeof frame.nav.counts;
  /** Whether it stands in the window's title as well, so that one sees it from another window. */
  inTitle?: true;
}

export interface Place {
  /** With `{name}` for a segment that varies; `{name?}` at the end may be missing. */
  path: string;
  label: keyof typeof frame.screens;
  /** Where it stands in the navigation; without it, it is reached by links alone. */
  section?: "work" | keyof typeof frame.sections;
  icon?: IconName;
  /** The permission without which its own data cannot be read. */
  needs?: Permission;
  /** One link for each object, by its plural name; `{object}` of the path is its slug. */
  ofObjects?: true;
  /** `G` and this letter go there. */
  go?: string;
  /** Shown to people who are not signed in, without the frame. */
  isWayIn?: boolean;
  /** A number beside its name: a member of a tool's answer. */
  count?: PlaceCount;
  /** What its list makes by `C` and `?new=1`, and the permission that it takes. */
  makes?: { label: keyof typeof palette.makes; needs: Permission };
  /** What it asks first, so that the shell brings the answers along. The build takes it out for `frame/first_needs.ts`. */
  asks?: readonly Question[];
  load: () => Promise<{ default: ComponentType<ScreenProps> }>;
}

export const PLACES: readonly Place[] = [
  { path: "/app/sign-in", label: "home", isWayIn: true, load: () => import("./screens/ways_in/sign_in") },
  { path: "/app/welcome", label: "home", isWayIn: true, load: () => import("./screens/ways_in/welcome") },
  { path: "/app/invitation", label: "home", isWayIn: true, load: () => import("./screens/ways_in/invitation") },
  { path: "/app/forgot", label: "home", isWayIn: true, load: () => import("./screens/ways_in/forgot") },
  { path: "/app/reset", label: "home", isWayIn: true, load: () => import("./screens/ways_in/reset") },
  { path: "/app/prove", label: "home", isWayIn: true, load: () => import("./screens/ways_in/prove") },
  { path: "/app/allow", label: "home", isWayIn: true, load: () => import("./screens/ways_in/allow") },
  {
    path: "/app/",
    label: "home",
    section: "work",
    icon: "house",
    go: "h",
    asks: [ask.HOME],
    load: () => import("./screens/home/home"),
  },
  {
    path: "/app/inbox/{conversation?}",
    label: "inbox",
    section: "work",
    icon: "inbox",
    needs: "conversations",
    go: "i",
    count: { tool: "conversation.counts", input: {}, member: "unread", says: "unread", inTitle: true },
    asks: [ask.CONVERSATIONS, ask.CONVERSATION, ask.MESSAGES, ask.PEOPLE, ask.TEAMS],
    load: () => import("./screens/inbox/inbox"),
  },
  {
    path: "/app/records/{object}",
    label: "records",
    section: "work",
    icon: "table-2",
    needs: "records.read",
    ofObjects: true,
    go: "r",
    asks: [ask.OBJECT, ask.RECORDS, ask.RECORD_COUNT, ask.RECORD_VIEWS],
    load: () => import("./screens/records/list"),
  },
  {
    path: "/app/forms",
    label: "forms",
    section: "work",
    icon: "clipboard-list",
    needs: "forms",
    go: "f",
    makes: { label: "form", needs: "forms" },
    asks: [ask.FORMS, ask.SUBMISSION_COUNTS],
    load: () => import("./screens/forms/forms"),
  },
  {
    path: "/app/forms/{form}/{submission?}",
    label: "forms",
    needs: "forms",
    asks: [ask.FORM, ask.SUBMISSION_OF_FORM],
    load: () => import("./screens/forms/form"),
  },
  {
    path: "/app/submissions",
    label: "submissions",
    section: "work",
    icon: "list-checks",
    needs: "forms",
    count: { tool: "submission.counts", input: {}, member: "held" },
    asks: [ask.SUBMISSIONS, ask.SUBMISSION, ask.FORMS],
    load: () => import("./screens/forms/submissions"),
  },
  {
    path: "/app/embeds",
    label: "embeds",
    section: "work",
    icon: "blocks",
    needs: "embeds",
    go: "e",
    makes: { label: "embed", needs: "embeds" },
    asks: [ask.EMBEDS],
    load: () => import("./screens/embeds/embeds"),
  },
  {
    path: "/app/embeds/{embed}",
    label: "embeds",
    needs: "embeds",
    asks: [ask.EMBED, ask.EMBED_PREVIEW, ask.SITES, ask.OBJECTS, ask.FORMS],
    load: () => import("./screens/embeds/embed"),
  },
  {
    path: "/app/workflows",
    label: "workflows",
    section: "work",
    icon: "workflow",
    needs: "workflows",
    go: "w",
    makes: { label: "workflow", needs: "workflows" },
    asks: [ask.WORKFLOWS, ask.OBJECTS],
    load: () => import("./screens/workflows/list/list"),
  },
  {
    path: "/app/workflows/new",
    label: "workflows",
    needs: "workflows",
    load: () => import("./screens/workflows/new"),
  },
  {
    path: "/app/workflows/{workflow}/{run?}",
    label: "workflows",
    needs: "workflows",
    asks: [ask.WORKFLOW, ask.WORKFLOW_RUN, ask.WORKFLOW_PARTS],
    load: () => import("./screens/workflows/workflow"),
  },
  {
    path: "/app/approvals",
    label: "approvals",
    section: "work",
    icon: "stamp",
    go: "a",
    count: { tool: "approval.list", input: { limit: 1 }, member: "waiting" },
    asks: [ask.APPROVALS, ask.APPROVAL],
    load: () => import("./screens/approvals/approvals"),
  },
  {
    path: "/app/records/{object}/duplicates",
    label: "duplicates",
    needs: "records.read",
    asks: [ask.OBJECT, ask.DUPLICATES],
    load: () => import("./screens/records/page/duplicates"),
  },
  {
    path: "/app/records/{object}/{record}",
    label: "records",
    needs: "records.read",
    asks: [ask.OBJECT, ask.OBJECTS, ask.RECORD, ask.RELATED, ask.TIMELINE, ask.SUGGESTIONS, ask.FILES, ask.PEOPLE],
    load: () => import("./screens/records/page/record"),
  },
  {
    path: "/app/settings/organization",
    label: "organization",
    section: "organization",
    icon: "building-2",
    asks: [ask.ORGANIZATION],
    load: () => import("./screens/organization/organization"),
  },
  {
    path: "/app/settings/members",
    label: "members",
    section: "organization",
    icon: "users",
    makes: { label: "member", needs: "settings" },
    asks: [ask.MEMBERS, ask.MEMBER, ask.INVITATIONS, ask.ROLES, ask.TEAMS],
    load: () => import("./screens/organization/members"),
  },
  {
    path: "/app/settings/roles",
    label: "roles",
    section: "organization",
    icon: "shield-check",
    makes: { label: "role", needs: "settings" },
    asks: [ask.ROLES],
    load: () => import("./screens/organization/roles"),
  },
  {
    path: "/app/settings/teams",
    label: "teams",
    section: "organization",
    icon: "layers",
    makes: { label: "team", needs: "settings" },
    asks: [ask.TEAMS],
    load: () => import("./screens/organization/teams"),
  },
  {
    path: "/app/settings/sites",
    label: "sites",
    section: "organization",
    icon: "globe",
    makes: { label: "site", needs: "settings" },
    asks: [ask.SITES],
    load: () => import("./screens/organization/sites"),
  },
  {
    path: "/app/settings/objects",
    label: "objects",
    section: "organization",
    icon: "boxes",
    needs: "records.read",
    makes: { label: "object", needs: "settings" },
    asks: [ask.OBJECTS],
    load: () => import("./screens/objects/objects"),
  },
  {
    path: "/app/settings/objects/{object}",
    label: "objects",
    needs: "records.read",
    asks: [ask.OBJECT, ask.OBJECTS],
    load: () => import("./screens/objects/object"),
  },
  {
    path: "/app/settings/objects/{object}/import",
    label: "objects",
    needs: "records.write",
    asks: [ask.OBJECT, ask.IMPORT, ask.NEWEST_IMPORT],
    load: () => import("./screens/imports/import"),
  },
  {
    path: "/app/settings/messengers",
    label: "messengers",
    section: "organization",
    icon: "message-circle",
    needs: "channels",
    makes: { label: "messenger", needs: "channels" },
    asks: [ask.CONNECTIONS, ask.CONNECTION, ask.TEAMS, ask.PEOPLE],
    load: () => import("./screens/messengers/messengers"),
  },
  {
    path: "/app/settings/imports",
    label: "imports",
    section: "organization",
    icon: "upload",
    needs: "records.write",
    asks: [ask.IMPORTS, ask.PEOPLE, ask.OBJECTS],
    load: () => import("./screens/imports/imports"),
  },
  {
    path: "/app/settings/imports/{import}",
    label: "imports",
    needs: "records.write",
    asks: [ask.IMPORT, ask.PEOPLE, ask.OBJECTS],
    load: () => import("./screens/imports/details"),
  },
  {
    path: "/app/settings/audit",
    label: "audit",
    section: "organization",
    icon: "history",
    needs: "security",
    asks: [ask.AUDIT, ask.AUDIT_ACTIONS, ask.PEOPLE],
    load: () => import("./screens/organization/audit"),
  },
  {
    path: "/app/settings/api-keys",
    label: "apiKeys",
    section: "developers",
    icon: "key-round",
    needs: "security",
    makes: { label: "apiKey", needs: "security" },
    asks: [ask.API_KEYS, ask.ROLES],
    load: () => import("./screens/keys/api_keys"),
  },
  {
    path: "/app/settings/api-keys/{key}",
    label: "apiKeys",
    needs: "security",
    asks: [ask.API_KEYS, ask.ROLES, ask.PEOPLE, ask.KEY_REQUESTS],
    load: () => import("./screens/keys/api_key"),
  },
  {
    path: "/app/settings/requests",
    label: "requests",
    section: "developers",
    icon: "activity",
    needs: "settings",
    asks: [ask.REQUESTS],
    load: () => import("./screens/keys/requests"),
  },
  {
    path: "/app/settings/apps",
    label: "apps",
    section: "developers",
    icon: "plug",
    needs: "security",
    makes: { label: "app", needs: "security" },
    asks: [ask.GRANTS, ask.APPS, ask.ORGANIZATION, ask.PEOPLE],
    load: () => import("./screens/keys/apps"),
  },
  {
    path: "/app/settings/server-keys",
    label: "serverKeys",
    section: "developers",
    icon: "server",
    needs: "security",
    makes: { label: "serverKey", needs: "security" },
    asks: [ask.SERVER_KEYS],
    load: () => import("./screens/keys/server_keys"),
  },
  {
    path: "/app/settings/ai",
    label: "ai",
    section: "ai",
    icon: "coins",
    needs: "ai",
    asks: [ask.AI_MODELS, ask.AI_PROVIDERS],
    load: () => import("./screens/ai/ai"),
  },
  {
    path: "/app/settings/agents",
    label: "agents",
    section: "ai",
    icon: "bot",
    needs: "ai",
    asks: [ask.CONNECTIONS, ask.AGENTS, ask.AGENT, ask.AGENT_RUN, ask.AI_MODELS, ask.ROLES],
    load: () => import("./screens/agents/agents"),
  },
  {
    path: "/app/settings/webhooks",
    label: "webhooks",
    section: "developers",
    icon: "webhook",
    needs: "webhooks",
    makes: { label: "webhook", needs: "webhooks" },
    asks: [ask.WEBHOOKS],
    load: () => import("./screens/webhooks/webhooks"),
  },
  {
    path: "/app/settings/webhooks/{webhook}",
    label: "webhooks",
    needs: "webhooks",
    asks: [ask.WEBHOOK, ask.DELIVERIES, ask.DELIVERY],
    load: () => import("./screens/webhooks/webhook"),
  },
  {
    path: "/app/settings/gateway-keys",
    label: "gatewayKeys",
    section: "ai",
    icon: "sparkles",
    needs: "security",
    makes: { label: "gatewayKey", needs: "security" },
    asks: [ask.API_KEYS],
    load: () => import("./screens/keys/gateway_keys"),
  },
  {
    path: "/app/settings/gateway-keys/{key}",
    label: "gatewayKeys",
    needs: "security",
    asks: [ask.API_KEYS, ask.AI_MODELS],
    load: () => import("./screens/keys/gateway_key"),
  },
  {
    path: "/app/account/profile",
    label: "profile",
    section: "account",
    icon: "user",
    load: () => import("./screens/account/profile"),
  },
  {
    path: "/app/account/security",
    label: "security",
    section: "account",
    icon: "lock",
    load: () => import("./screens/account/security"),
  },
  {
    path: "/app/account/sessions",
    label: "sessions",
    section: "account",
    icon: "monitor-smartphone",
    load: () => import("./screens/account/sessions"),
  },
  {
    path: "/app/account/apps",
    label: "ownApps",
    section: "account",
    icon: "plug",
    asks: [ask.GRANTS],
    load: () => import("./screens/account/apps"),
  },
  {
    path: "/app/account/notices",
    label: "notices",
    section: "account",
    icon: "mail",
    asks: [ask.NOTICES],
    load: () => import("./screens/account/notices"),
  },
  {
    path: "/app/account/messengers",
    label: "messengers",
    section: "account",
    icon: "message-circle",
    needs: "conversations",
    asks: [ask.OWN_CONNECTIONS, ask.CONNECTION],
    load: () => import("./screens/messengers/own"),
  },
];
