/** Whom a person may decide about: the server decides; this spares them a refusal. */
import { may, organization } from "../../house/boot";
import type { Answer } from "../../house/tools";

export type Role = Answer<"role.list">["roles"][number];
export type Member = Answer<"member.list">["members"][number];
export type Invitation = Answer<"member.list">["invitations"][number];

/** Whether *role* permits nothing beyond one's own; only an Owner makes an Owner. */
export function mayGive(role: Role | undefined): boolean {
  if (!role || !may("settings")) return false;
  return role.permissions.every(may) && (role.id !== "owner" || organization?.role === "owner");
}
