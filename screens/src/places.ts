/**
 * Every screen: its address, its name, its place in the navigation, and what it asks first. To add a screen is
 * to add a line here and its module (see README.md). The build reads this list, so it imports types alone.
 */
import type { ComponentType } from "preact";
import type { Permission } from "./house/boot";
import type { Reads } from "./house/tools";
import type { frame } from "./messages/en/frame";
import type { IconName } from "./parts/icon_names";

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
  /** Tools that it asks first, so that the shell brings their answers along. `{name}` is that segment. */
  calls?: readonly { tool: Reads; input: Record<string, unknown> }[];
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
    calls: [{ tool: "form.list", input: {} }],
    load: () => import("./screens/forms/forms"),
  },
  {
    path: "/app/forms/{form}/{submission?}",
    label: "forms",
    needs: "forms",
    calls: [{ tool: "form.get", input: { id: "{form}" } }],
    load: () => import("./screens/forms/form"),
  },
  {
    path: "/app/submissions",
    label: "submissions",
    section: "work",
    icon: "list-checks",
    needs: "forms",
    count: { tool: "submission.counts", input: {}, member: "held" },
    calls: [{ tool: "submission.list", input: { limit: 50 } }, { tool: "form.list", input: {} }],
    load: () => import("./screens/forms/submissions"),
  },
  {
    path: "/app/embeds",
    label: "embeds",
    section: "work",
    icon: "blocks",
    needs: "embeds",
    go: "e",
    calls: [{ tool: "embed.list", input: { limit: 50 } }],
    load: () => import("./screens/embeds/embeds"),
  },
  {
    path: "/app/embeds/{embed}",
    label: "embeds",
    needs: "embeds",
    calls: [
      { tool: "embed.get", input: { id: "{embed}" } },
      { tool: "embed.preview", input: { id: "{embed}" } },
      { tool: "site.list", input: {} },
    ],
    load: () => import("./screens/embeds/embed"),
  },
  {
    path: "/app/settings/organization",
    label: "organization",
    section: "organization",
    icon: "building-2",
    calls: [{ tool: "organization.get", input: {} }],
    load: () => import("./screens/organization/organization"),
  },
  {
    path: "/app/settings/members",
    label: "members",
    section: "organization",
    icon: "users",
    calls: [
      { tool: "member.list", input: { limit: 50 } },
      { tool: "member.list", input: { limit: 1 } },
      { tool: "role.list", input: {} },
      { tool: "team.list", input: {} },
    ],
    load: () => import("./screens/organization/members"),
  },
  {
    path: "/app/settings/roles",
    label: "roles",
    section: "organization",
    icon: "shield-check",
    calls: [{ tool: "role.list", input: {} }],
    load: () => import("./screens/organization/roles"),
  },
  {
    path: "/app/settings/teams",
    label: "teams",
    section: "organization",
    icon: "layers",
    calls: [{ tool: "team.list", input: {} }],
    load: () => import("./screens/organization/teams"),
  },
  {
    path: "/app/settings/sites",
    label: "sites",
    section: "organization",
    icon: "globe",
    calls: [{ tool: "site.list", input: {} }],
    load: () => import("./screens/organization/sites"),
  },
  {
    path: "/app/settings/objects",
    label: "objects",
    section: "organization",
    icon: "boxes",
    needs: "records.read",
    calls: [{ tool: "object.list", input: {} }],
    load: () => import("./screens/objects/objects"),
  },
  {
    path: "/app/settings/objects/{object}",
    label: "objects",
    needs: "records.read",
    calls: [{ tool: "object.get", input: { objectType: "{object}" } }],
    load: () => import("./screens/objects/object"),
  },
  {
    path: "/app/settings/audit",
    label: "audit",
    section: "organization",
    icon: "history",
    needs: "security",
    calls: [{ tool: "audit.list", input: { limit: 50 } }, { tool: "member.list", input: { limit: 200 } }],
    load: () => import("./screens/organization/audit"),
  },
  {
    path: "/app/settings/api-keys",
    label: "apiKeys",
    section: "developers",
    icon: "key-round",
    needs: "security",
    calls: [{ tool: "apikey.list", input: {} }, { tool: "role.list", input: {} }],
    load: () => import("./screens/keys/api_keys"),
  },
  {
    path: "/app/settings/server-keys",
    label: "serverKeys",
    section: "developers",
    icon: "server",
    needs: "security",
    calls: [{ tool: "serverkey.list", input: {} }],
    load: () => import("./screens/keys/server_keys"),
  },
  {
    path: "/app/settings/gateway-keys",
    label: "gatewayKeys",
    section: "ai",
    icon: "sparkles",
    needs: "security",
    calls: [{ tool: "apikey.list", input: {} }],
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
    calls: [{ tool: "notice.get", input: {} }],
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
