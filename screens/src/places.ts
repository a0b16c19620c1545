/**
 * Every screen: its address, its name, its place in the navigation, and what it asks first. To add a screen is
 * to add a line here and its module (see README.md). The build reads this list, so it imports types alone.
 */
import type { ComponentType } from "preact";
import type { Permission } from "./house/boot";
import type { Reads } from "./house/tools";
import type { frame } from "./messages/en/frame";
import type { Question } from "./house/questions";
import type { IconName } from "./parts/icon_names";
import * as ask from "./questions";

export interface Place {
  /** With `{name}` for a segment that varies; `{name?}` at the end may be missing. */
  path: string;
  label: keyof typeof frame.screens;
  /** Where it stands in the navigation; without it, it is reached by links alone. */
  section?: "work" | keyof typeof frame.sections;
  icon?: IconName;
  /** The permission without which its own data cannot be read. */
  needs?: Permission;
  /** `G` and this letter go there. */
  go?: string;
  /** Shown to people who are not signed in, without the frame. */
  isWayIn?: boolean;
  /** A number beside its name: a member of a tool's answer. */
  count?: { tool: Reads; input: Record<string, unknown>; member: string };
  /** What it asks first, so that the shell brings the answers along. */
  asks?: readonly Question[];
  load: () => Promise<{ default: ComponentType<ScreenProps> }>;
}

export interface ScreenProps {
  /** What stands for each `{name}` of the path. */
  params: Readonly<Record<string, string | undefined>>;
}

export const PLACES: readonly Place[] = [
  { path: "/app/sign-in", label: "home", isWayIn: true, load: () => import("./screens/ways_in/sign_in") },
  { path: "/app/welcome", label: "home", isWayIn: true, load: () => import("./screens/ways_in/welcome") },
  { path: "/app/invitation", label: "home", isWayIn: true, load: () => import("./screens/ways_in/invitation") },
  { path: "/app/forgot", label: "home", isWayIn: true, load: () => import("./screens/ways_in/forgot") },
  { path: "/app/reset", label: "home", isWayIn: true, load: () => import("./screens/ways_in/reset") },
  { path: "/app/prove", label: "home", isWayIn: true, load: () => import("./screens/ways_in/prove") },
  {
    path: "/app/forms",
    label: "forms",
    section: "work",
    icon: "clipboard-list",
    needs: "forms",
    go: "f",
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
    asks: [ask.MEMBERS, ask.MEMBER, ask.INVITATIONS, ask.ROLES, ask.TEAMS],
    load: () => import("./screens/organization/members"),
  },
  {
    path: "/app/settings/roles",
    label: "roles",
    section: "organization",
    icon: "shield-check",
    asks: [ask.ROLES],
    load: () => import("./screens/organization/roles"),
  },
  {
    path: "/app/settings/teams",
    label: "teams",
    section: "organization",
    icon: "layers",
    asks: [ask.TEAMS],
    load: () => import("./screens/organization/teams"),
  },
  {
    path: "/app/settings/sites",
    label: "sites",
    section: "organization",
    icon: "globe",
    asks: [ask.SITES],
    load: () => import("./screens/organization/sites"),
  },
  {
    path: "/app/settings/objects",
    label: "objects",
    section: "organization",
    icon: "boxes",
    needs: "records.read",
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
    path: "/app/settings/audit",
    label: "audit",
    section: "organization",
    icon: "history",
    needs: "security",
    asks: [ask.AUDIT, ask.PEOPLE],
    load: () => import("./screens/organization/audit"),
  },
  {
    path: "/app/settings/api-keys",
    label: "apiKeys",
    section: "developers",
    icon: "key-round",
    needs: "security",
    asks: [ask.API_KEYS, ask.ROLES],
    load: () => import("./screens/keys/api_keys"),
  },
  {
    path: "/app/settings/server-keys",
    label: "serverKeys",
    section: "developers",
    icon: "server",
    needs: "security",
    asks: [ask.SERVER_KEYS],
    load: () => import("./screens/keys/server_keys"),
  },
  {
    path: "/app/settings/gateway-keys",
    label: "gatewayKeys",
    section: "ai",
    icon: "sparkles",
    needs: "security",
    asks: [ask.API_KEYS],
    load: () => import("./screens/keys/gateway_keys"),
  },
  {
    path: "/app/account/sessions",
    label: "sessions",
    section: "account",
    icon: "monitor-smartphone",
    load: () => import("./screens/account/sessions"),
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
    path: "/app/account/password",
    label: "password",
    section: "account",
    icon: "lock",
    load: () => import("./screens/account/password"),
  },
];
