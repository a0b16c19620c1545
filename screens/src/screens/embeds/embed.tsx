/** One embed: its blocks beside what visitors get, and how to put it on a page. */
import { useAct } from "../../house/acts";
import { go, parameter, to } from "../../house/address";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { Page } from "../../frame/page";
import { embeds as words } from "../../messages/en/embeds";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Failure } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import { Menu } from "../../parts/menu";
import { ErrorBox, Skeleton } from "../../parts/states";
import { Tabs } from "../../parts/tabs";
import type { ScreenProps } from "../../places";
import type { EmbedDetails } from "./draft";
import { Editor } from "./editor";
import { StatusBadge } from "./embeds";
import { Install } from "./install";

export default function EmbedScreen({ params: { embed: id = "" } }: ScreenProps) {
  const { answer: embed, problem, query } = useAnswer("embed.get", { id });
  if (problem && (!embed || problem.code === "not_found")) return <Failure problem={problem} again={() => void query.again()} />;
  if (!embed || embed.id !== id) return <Skeleton />;
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

function EmbedActions({ embed: { id, name, status } }: { embed: EmbedDetails }) {
  const act = useAct(async (pause: boolean) => {
    const result = await write(pause ? "embed.pause" : "embed.resume", { id });
    if (result.ok) toast(say(pause ? words.paused : words.resumed, { name }), { undo: () => void act.run(!pause) });
    return result;
  });
  const remove = async () => {
    const removing = () => write("embed.remove", { id });
    const [title, body] = [say(words.removeTitle, { name }), words.removeBody];
    if (await ask({ title, body, confirm: words.remove, danger: true, name, act: removing })) {
      toast(say(words.removed, { name }));
      void go(to("/app/embeds"), { replace: true });
    }
  };
  return (
    <>
      <ErrorBox problem={act.problem} />
      <StatusBadge status={status} />
      <Button busy={act.busy} icon={status === "paused" ? "play" : "pause"} onClick={() => void act.run(status !== "paused")}>
        {status === "paused" ? words.resume : words.pause}
      </Button>
      <Menu label={words.actions} items={[[{ label: words.remove, icon: "trash-2", danger: true, run: () => void remove() }]]}>
        <Icon name="ellipsis" />
      </Menu>
    </>
  );
}
