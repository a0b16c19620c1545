/** What forms and embeds have in common: pages use them, so they are paused, resumed and removed with care. */
import { useAct } from "../house/acts";
import { go, to } from "../house/address";
import type { Result } from "../house/problems";
import { toast } from "../house/toasts";
import { say } from "../messages/messages";
import { Button } from "./button";
import { ask } from "./dialog";
import { Icon } from "./icon";
import { Menu } from "./menu";
import { ErrorBox } from "./states";
import { Badge } from "./texts";

type Status = "active" | "paused" | "removed";

/** A message with the name of the thing in it. */
type Named = `${string}{name}${string}`;

interface Words {
  statuses: Readonly<Record<Status, string>>;
  pause: string;
  paused: Named;
  resume: string;
  resumed: Named;
  remove: string;
  removeTitle: Named;
  removeBody: string;
  removed: Named;
  actions: string;
}

export function StatusBadge({ status, words }: { status: Status; words: Pick<Words, "statuses"> }) {
  return <Badge kind={status === "active" ? "good" : "plain"}>{words.statuses[status]}</Badge>;
}

interface ActionsProps {
  thing: { name: string; status: Status };
  words: Words;
  pause: () => Promise<Result<unknown>>;
  resume: () => Promise<Result<unknown>>;
  remove: () => Promise<Result<unknown>>;
  /** Show *status* before the service has said so; the returned function takes it back. */
  expect: (status: Status) => () => void;
  /** The list, which is shown after a removal. */
  list: string;
}

/** Its status, *Pause* or *Resume* with Undo, and *Remove*, which asks by name. */
export function PublicThingActions({ thing: { name, status }, words, pause, resume, remove, expect, list }: ActionsProps) {
  const act = useAct(async (pausing: boolean) => {
    const takeBack = expect(pausing ? "paused" : "active");
    const result = await (pausing ? pause : resume)();
    if (result.ok) toast(say(pausing ? words.paused : words.resumed, { name }), { undo: () => void act.run(!pausing) });
    else takeBack();
    return result;
  });
  const askToRemove = async () => {
    const [title, body] = [say(words.removeTitle, { name }), words.removeBody];
    if (await ask({ title, body, confirm: words.remove, danger: true, name, act: remove })) {
      toast(say(words.removed, { name }));
      void go(to(list), { replace: true });
    }
  };
  const isPaused = status === "paused";
  return (
    <>
      <ErrorBox problem={act.problem} />
      <StatusBadge status={status} words={words} />
      <Button busy={act.busy} icon={isPaused ? "play" : "pause"} onClick={() => void act.run(!isPaused)}>
        {isPaused ? words.resume : words.pause}
      </Button>
      <Menu label={words.actions} items={[[{ label: words.remove, icon: "trash-2", danger: true, run: () => void askToRemove() }]]}>
        <Icon name="ellipsis" />
      </Menu>
    </>
  );
}
