/** What the shell sent along in its JSON block: the session, the organization, and the first screen's data. */
import { signal } from "@preact/signals";
import type { components } from "../contract";

export type Permission = components["schemas"]["RoleAnswer"]["permissions"][number];

export interface Person {
  id: string;
  email: string;
  name: string;
  homeOrganizationId: string;
  emailProven: boolean;
}

export interface JoinedOrganization {
  id: string;
  name: string;
  role: string;
}

export interface Session {
  csrfToken: string;
  person: Person;
  organizations: JoinedOrganization[];
}

export interface OrganizationFacts {
  id: string;
  name: string;
  locale: string;
  timeZone: string;
  currency: string;
  country: string;
  plan: string;
  marketingHub: boolean;
  trialDaysLeft: number | null;
  version: number;
  /** The role of the person here, and what it permits. */
  role: string;
  permissions: Permission[];
}

interface Boot {
  session: Session | null;
  organization: OrganizationFacts | null;
  /** The number from which the live events go on: no change falls between the page and its stream. */
  hint?: string | null;
  /** Whether the service sends mail, so that a password can be reset. */
  mail?: boolean;
  /** Where a sign-in leads: an own path, checked by the server. */
  next?: string | null;
  /** Answers of tools by `queryKey`, for one round trip to something useful. */
  data?: Record<string, unknown>;
}

function read(): Boot {
  const block = document.getElementById("boot")?.textContent;
  return block ? (JSON.parse(block) as Boot) : { session: null, organization: null };
}

const boot = read();

/** The signed-in person; null on the ways in, and once the session is known to have ended. */
export const session = signal(boot.session);
/** The organization that is worked in. It changes by a new page alone. */
export const organization = boot.organization;

export const firstHint = boot.hint ?? null;
export const nextPath = boot.next ?? null;
/** Whether the service sends mail. */
export const sendsMail = boot.mail ?? false;

/** Take an answer that came with the shell, once: it is as old as the page. */
export function takeShellAnswer(key: string): unknown {
  const answer = boot.data?.[key];
  if (boot.data) delete boot.data[key];
  return answer;
}

/** Whether the person's role permits *permission* here. The server decides; this only spares them a refusal. */
export function may(permission: Permission): boolean {
  return organization?.permissions.includes(permission) ?? false;
}
