/** From an entry of the trail to the thing that it is about, where that has a screen. */
import { screens, to } from "../../house/address";
import { may } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { audit as words } from "../../messages/en/people";
import { say } from "../../messages/messages";
import { Foreign } from "../../parts/texts";
import type { Entry } from "./audit_entries";

/** By the prefix of an id: the path of its screen, with what is open on it. */
const SCREENS: Readonly<Record<string, (id: string, action: string) => [path: string, open?: string]>> = {
  apr: (id) => ["/app/approvals", id],
  cnv: (id) => [`/app/inbox/${id}`],
  con: (id) => ["/app/settings/messengers", id],
  emb: (id) => [`/app/embeds/${id}`],
  frm: (id) => [`/app/forms/${id}`],
  inb: (id) => [`/app/settings/inbound/${id}`],
  inv: () => ["/app/settings/members"],
  key: (_, action) => [action.startsWith("serverkey.") ? "/app/settings/server-keys" : "/app/settings/api-keys"],
  org: () => ["/app/settings/organization"],
  rol: (id) => ["/app/settings/roles", id],
  sit: () => ["/app/settings/sites"],
  sub: (id) => ["/app/submissions", id],
  tea: () => ["/app/settings/teams"],
  usr: (id) => ["/app/settings/members", id],
  wfl: (id) => [`/app/workflows/${id}`],
  whk: (id) => [`/app/settings/webhooks/${id}`],
};

/** The address of *path*, if there is such a screen and the person may see it. */
function reachable(path: string, open: string | null = null): string | null {
  return screens.has(path) ? to(path, { open }) : null;
}

/** A link to what *entry* was done to; nothing where it has no screen, or is gone. */
export function TargetLink({ of: { target, action } }: { of: Entry }) {
  if (target === null) return null;
  const kind = target.slice(0, target.indexOf("_"));
  if (kind === "rec") return may("records.read") ? <RecordLink id={target} /> : null;
  if (kind === "obj") return may("records.read") ? <ObjectLink id={target} /> : null;
  const screen = SCREENS[kind];
  const href = screen && reachable(...screen(target, action));
  return href ? <Go href={href} label={words.open} /> : null;
}

/** A record's page, which has its timeline. The trail has its id alone, so its kind and its name are looked up. */
function RecordLink({ id }: { id: string }) {
  const { answer } = useAnswer("record.get", { id });
  const href = answer && reachable(`/app/records/${answer.objectType}/${id}`);
  return href ? <Go href={href} label={say(words.openRecord, { name: nameOf(answer) })} /> : null;
}

function ObjectLink({ id }: { id: string }) {
  const found = useAnswer("object.list", {}).answer?.objects.find((one) => one.id === id);
  const href = found && reachable(`/app/settings/objects/${found.slug}`);
  return href ? <Go href={href} label={found.label} /> : null;
}

const nameOf = ({ properties, id }: Answer<"record.get">): string =>
  [properties.first_name, properties.last_name, properties.name].filter(Boolean).join(" ") || String(properties.email ?? id);

function Go({ href, label }: { href: string; label: string }) {
  return (
    <a href={href} class="target-link">
      <Foreign>{label}</Foreign>
    </a>
  );
}
