/** A thing by its name, of which an answer has only the id; it leads to its screen, where there is one. */
import { screens, to } from "../house/address";
import { may, type Permission } from "../house/boot";
import { useAnswer } from "../house/queries";
import type { Answer, Input, Reads } from "../house/tools";
import { things as words } from "../messages/en/things";
import { RecordLink } from "./record_link";
import { Foreign } from "./texts";

/** How things of one kind are looked up. */
interface Look {
  needs?: Permission;
  tool: Reads;
  input: (id: string) => object;
  nameOf: (answer: never, id: string) => string | null | undefined;
  path?: (id: string) => [path: string, open?: string];
}

function look<N extends Reads>(
  tool: N,
  input: (id: string) => Input<N>,
  nameOf: (answer: Answer<N>, id: string) => string | null | undefined,
  rest: Pick<Look, "needs" | "path"> = {},
): Look {
  return { tool, input: input as (id: string) => object, nameOf, ...rest };
}

const byId = (id: string) => ({ id });
const named = ({ name }: { name: string }) => name;
const PEOPLE = { limit: 200 };

const LOOKS: Readonly<Record<string, Look>> = {
  cnv: look("conversation.get", byId, ({ known, title }) => title ?? known.name ?? known.email ?? known.phone ?? words.unnamed.cnv, {
    needs: "conversations",
    path: (id) => [`/app/inbox/${id}`],
  }),
  con: look("connection.get", byId, named, { needs: "channels", path: (id) => ["/app/settings/messengers", id] }),
  emb: look("embed.get", byId, named, { needs: "embeds", path: (id) => [`/app/embeds/${id}`] }),
  fil: look("file.get", byId, named),
  frm: look("form.get", byId, named, { needs: "forms", path: (id) => [`/app/forms/${id}`] }),
  obj: look(
    "object.list",
    () => ({}),
    ({ objects }, id) => objects.find((one) => one.id === id)?.labelPlural,
    { needs: "records.read" },
  ),
  rol: look(
    "role.list",
    () => ({}),
    ({ roles }, id) => roles.find((one) => one.id === id)?.name,
    { path: (id) => ["/app/settings/roles", id] },
  ),
  sit: look(
    "site.list",
    () => ({}),
    ({ sites }, id) => sites.find((one) => one.id === id)?.domain,
    { path: () => ["/app/settings/sites"] },
  ),
  tea: look(
    "team.list",
    () => ({}),
    ({ teams }, id) => teams.find((one) => one.id === id)?.name,
    { path: () => ["/app/settings/teams"] },
  ),
  usr: look(
    "member.list",
    () => PEOPLE,
    ({ members }, id) => members.find((one) => one.id === id)?.name,
    { path: (id) => ["/app/settings/members", id] },
  ),
  wfl: look("workflow.get", byId, named, { needs: "workflows", path: (id) => [`/app/workflows/${id}`] }),
  whk: look("webhook.get", byId, ({ name, url }) => name ?? url, { needs: "webhooks", path: (id) => [`/app/settings/webhooks/${id}`] }),
};

const ID = /^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Whether *text* is an id of this service. */
export const isId = (text: string): boolean => ID.test(text);

interface ThingNameProps {
  id: string;
  /** Without a link: where all of it is one already. */
  bare?: boolean;
}

export function ThingName({ id, bare = false }: ThingNameProps) {
  const kind = id.slice(0, id.indexOf("_"));
  if (kind === "rec") return <RecordLink id={id} bare={bare} />;
  const found = LOOKS[kind];
  if (!found || (found.needs && !may(found.needs))) return <Unnamed id={id} kind={kind} />;
  return <Looked id={id} look={found} bare={bare} />;
}

function Unnamed({ id, kind }: { id: string; kind: string }) {
  const text = words.kinds[kind as keyof typeof words.kinds] as string | undefined;
  return text ? <span class="soft">{text}</span> : <code>{id}</code>;
}

function Looked({ id, look: { tool, input, nameOf, path }, bare }: { id: string; look: Look; bare: boolean }) {
  const { answer, problem } = useAnswer(tool, input(id) as Input<typeof tool>);
  if (problem && !answer) return problem.code === "not_found" ? <span class="soft">{words.gone}</span> : <code>{id}</code>;
  if (!answer) return <span class="soft">…</span>;
  const name = nameOf(answer as never, id);
  if (!name) return <code>{id}</code>;
  const text = <Foreign>{name}</Foreign>;
  const [where, open] = path?.(id) ?? [];
  return !bare && where && screens.has(where) ? <a href={to(where, { open })}>{text}</a> : text;
}

/** An object by what its records are called: `contact` is Contact. */
export function ObjectName({ slug }: { slug: string }) {
  return may("records.read") ? <KnownObject slug={slug} /> : <code>{slug}</code>;
}

function KnownObject({ slug }: { slug: string }) {
  const found = useAnswer("object.list", {}).answer?.objects.find((one) => one.slug === slug);
  return found ? <Foreign>{found.label}</Foreign> : <code>{slug}</code>;
}
