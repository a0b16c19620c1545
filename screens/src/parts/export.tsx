/** A list as a file: a job writes it, and the browser takes it as soon as it is there. */

import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../house/acts";
import { to } from "../house/address";
import { type ExportJob, followed } from "../house/exports";
import { toast } from "../house/toasts";
import { type Input, write } from "../house/tools";
import { exports } from "../messages/en/exports";
import { messages, say } from "../messages/messages";
import { Button } from "./button";
import { Icon } from "./icon";
import { Menu } from "./menu";
import { ErrorBox } from "./states";

const words = exports;
interface ExportProps {
  /** What is exported: what `export.start` is asked, but for the format. */
  what: Omit<Input<"export.start">, "format" | "bom">;
}

/** A button with the formats; while the job runs, how far it is, and a way to stop it. */
export function Export({ what }: ExportProps) {
  const [job, setJob] = useState<ExportJob | null>(null);
  /** The job that is followed; none once it is stopped, or the person has gone on. */
  const wanted = useRef<string | null>(null);
  const leave = () => {
    wanted.current = null;
  };
  useEffect(() => leave, []);
  const follow = async (started: ExportJob) => {
    wanted.current = started.id;
    const ended = await followed(started, (now) => {
      const isWanted = wanted.current === now.id;
      if (isWanted) setJob(now);
      return isWanted;
    });
    if (!ended || wanted.current !== ended.id) return;
    setJob(null);
    if (ended.downloadPath) {
      take(ended.downloadPath);
      toast(say(words.done, { n: ended.rows }));
    } else if (ended.state === "failed") toast(say(words.failed, { why: ended.failure ?? "" }), { kind: "failed" });
  };
  const start = useAct(async (format: "csv" | "ndjson") => {
    const result = await write("export.start", { ...what, format, ...(format === "csv" && { bom: true }) });
    if (result.ok) void follow(result.answer);
    return result;
  });
  const stop = useAct(async (id: string) => {
    const result = await write("export.cancel", { id });
    if (result.ok) {
      leave();
      setJob(null);
    }
    return result;
  });
  if (job) {
    return (
      <span class="row" role="status">
        <span class="spinner" />
        <span class="soft">{job.rows > 0 ? say(words.rows, { n: job.rows }) : words.waiting}</span>
        <Button small busy={stop.busy} onClick={() => void stop.run(job.id)}>
          {messages.common.cancel}
        </Button>
      </span>
    );
  }
  return (
    <>
      <ErrorBox problem={start.problem ?? stop.problem} />
      <Menu
        label={words.title}
        class="button button-plain"
        items={[
          [
            { label: words.csv, icon: "table-2", run: () => void start.run("csv") },
            { label: words.ndjson, icon: "code-xml", run: () => void start.run("ndjson") },
          ],
        ]}
      >
        <Icon name="download" /> {words.title}
      </Menu>
    </>
  );
}

/** By a link, so that the browser writes it to the disk as it comes, however large it is. */
function take(path: string): void {
  const link = document.createElement("a");
  link.href = to(path);
  link.download = "";
  link.click();
}
