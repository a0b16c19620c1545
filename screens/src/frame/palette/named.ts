/** Things that the page knows by name: few enough to be asked for once, and found by any part of their names. */
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { to } from "../../house/address";
import { may } from "../../house/boot";
import { queryOf } from "../../house/queries";
import { send } from "../../house/requests";
import type { Answer, Input, Reads } from "../../house/tools";
import { objectIcon } from "../links";
import type { Entry } from "./entries";

interface Source {
  hold: () => () => void;
  entries: () => Entry[];
}

/** The entries of what *tool* answers; the answer is shared with the screens, and kept up to date while it is held. */
function source<N extends Reads>(tool: N, input: Input<N>, entriesOf: (answer: Answer<N>) => Entry[]): Source {
  return {
    hold: () => queryOf(tool, input).hold(),
    entries: () => {
      const { answer } = queryOf(tool, input).state.value;
      return answer === undefined ? [] : entriesOf(answer);
    },
  };
}

const SOURCES: Source[] = [
  ...(may("records.read")
    ? [
        source("object.list", {}, ({ objects }) =>
          objects.map(({ slug, labelPlural }) => ({
            id: `object ${slug}`,
            group: "objects",
            label: labelPlural,
            icon: objectIcon(slug),
            href: to(`/app/records/${slug}`),
          })),
        ),
      ]
    : []),
  ...(may("forms")
    ? [
        source("form.list", {}, ({ forms }) =>
          forms.map(({ id, name, domain }) => ({
            id,
            group: "forms",
            label: name,
            icon: "clipboard-list",
            about: domain ?? undefined,
            also: domain ?? undefined,
            href: to(`/app/forms/${id}`),
          })),
        ),
      ]
    : []),
  ...(may("embeds")
    ? [
        source("embed.list", { limit: 200 }, ({ embeds }) =>
          embeds.map(({ id, name }) => ({ id, group: "embeds", label: name, icon: "blocks", href: to(`/app/embeds/${id}`) })),
        ),
      ]
    : []),
  ...(may("workflows")
    ? [
        source("workflow.list", { limit: 200 }, ({ workflows }) =>
          workflows.map(({ id, name }) => ({ id, group: "workflows", label: name, icon: "workflow", href: to(`/app/workflows/${id}`) })),
        ),
      ]
    : []),
  source("member.list", { limit: 200 }, ({ members }) =>
    members.map(({ id, name, email }) => ({
      id,
      group: "people",
      label: name || email,
      icon: "user",
      about: name ? email : undefined,
      also: email,
      href: to("/app/settings/members", { open: id }),
    })),
  ),
  ...(may("security")
    ? [
        source("apikey.list", {}, ({ apiKeys }) =>
          apiKeys.map(({ id, name, visibleStart, limitedTo }) => ({
            id,
            group: "keys",
            label: name,
            icon: limitedTo === null ? "key-round" : "sparkles",
            about: `${visibleStart}…`,
            also: visibleStart,
            href: to(limitedTo === null ? "/app/settings/api-keys" : "/app/settings/gateway-keys"),
          })),
        ),
        source("serverkey.list", {}, ({ serverKeys }) =>
          serverKeys.map(({ id, name, visibleStart }) => ({
            id,
            group: "keys",
            label: name,
            icon: "server",
            about: `${visibleStart}…`,
            also: visibleStart,
            href: to("/app/settings/server-keys"),
          })),
        ),
      ]
    : []),
];

const guides: Signal<Entry[]> = signal([]);

/** The guides are the same for everybody, so they are asked for once. */
async function loadGuides(): Promise<void> {
  if (guides.peek().length > 0) return;
  const found = await send<{ guides: { title: string; about: string; path: string }[] }>("/docs/titles.json", { method: "GET" });
  if (!found.ok) return; // They are also at Documentation, and asked for again the next time.
  guides.value = found.answer.guides.map(({ title, about, path }) => ({
    id: `guide ${path}`,
    group: "guides",
    label: title,
    icon: "book-open",
    about,
    also: about,
    href: path,
  }));
}

/** All of them, as they come. */
export function useNamed(): Entry[] {
  useEffect(() => {
    const stops = SOURCES.map((one) => one.hold());
    void loadGuides();
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return [...SOURCES.flatMap((one) => one.entries()), ...guides.value];
}

/** What records of an object are called, where that is known. */
export function objectLabel(objectType: string): string {
  const { answer } = queryOf("object.list", {}).state.peek();
  return answer?.objects.find((object) => object.slug === objectType)?.label ?? objectType;
}
