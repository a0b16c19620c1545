/** One embed: its blocks beside what visitors get, and how to put it on a page. */
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { parameter, to } from "../../house/address";
import { queryOf, useAnswer } from "../../house/queries";
import { write } from "../../house/tools";
import { embeds as words } from "../../messages/en/embeds";
import { Failure } from "../../parts/failure";
import { PublicThingActions } from "../../parts/public_thing";
import { Tabs } from "../../parts/tabs";
import type { EmbedDetails } from "./draft";
import { Editor } from "./editor";
import { Install } from "./install";
import "../../styles/embeds.css";

export default function EmbedScreen({ params: { embed: id = "" } }: ScreenProps) {
  const { answer: embed, problem, query } = useAnswer("embed.get", { id });
  if (problem && (!embed || problem.code === "not_found")) return <Failure page problem={problem} again={() => void query.again()} />;
  if (!embed || embed.id !== id) return <PageSkeleton />;
  return (
    <Page title={embed.name} crumbs={[{ label: words.title, href: to("/app/embeds") }]} actions={<EmbedActions embed={embed} />} wide>
      <Tabs
        label={words.tabs.label}
        tabs={[
          { value: "", label: words.tabs.edit },
          { value: "install", label: words.tabs.install },
        ]}
      />
      {parameter("tab") === "install" ? <Install embed={embed} /> : <Editor key={id} embed={embed} again={() => void query.again()} />}
    </Page>
  );
}

function EmbedActions({ embed }: { embed: EmbedDetails }) {
  const { id } = embed;
  return (
    <PublicThingActions
      thing={embed}
      words={words}
      pause={() => write("embed.pause", { id })}
      resume={() => write("embed.resume", { id })}
      remove={() => write("embed.remove", { id })}
      expect={(status) => queryOf("embed.get", { id }).expect((before) => ({ ...before, status }))}
      list="/app/embeds"
    />
  );
}
