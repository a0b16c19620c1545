import type { Answer } from "./tools";

export type PublicFacts = Pick<Answer<"object.get">["properties"][number], "type" | "options" | "personal">;

/** Whether embeds show a property: personal ones, members and contacts never. The service decides; this says it first. */
export const isPublic = ({ personal, type, options }: PublicFacts) =>
  !personal && !["email", "phone", "member"].includes(type) && !(type === "relation" && options[0] === "contact");
