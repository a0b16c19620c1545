import { useAct } from "../../house/acts";
import { queryOf } from "../../house/queries";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { messengers as words } from "../../messages/en/messengers";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ErrorBox } from "../../parts/states";
import type { ConnectionDetails } from "./connection";

/** *Pause* or *Resume*, with Undo. */
export function PauseButton({ connection: { id, name, status } }: { connection: ConnectionDetails }) {
  const act = useAct(async (pausing: boolean) => {
    const next = pausing ? "paused" : "active";
    const back = queryOf("connection.get", { id }).expect((before) => ({
      ...before,
      status: next,
      state: pausing ? "paused" : stateOf(before),
    }));
    const result = await (pausing ? write("connection.pause", { id }) : write("connection.resume", { id }));
    if (result.ok) toast(say(pausing ? words.paused : words.resumed, { name }), { undo: () => void act.run(!pausing) });
    else back();
    return result;
  });
  const isPaused = status === "paused";
  return (
    <>
      <Button small busy={act.busy} icon={isPaused ? "play" : "pause"} onClick={() => void act.run(!isPaused)}>
        {isPaused ? words.resume : words.pause}
      </Button>
      <ErrorBox problem={act.problem} />
    </>
  );
}

const stateOf = ({ health }: ConnectionDetails) => (health.state === "offline" ? "offline" : "active");
