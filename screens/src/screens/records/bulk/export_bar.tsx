/** The export of a list as it is shown: a job of the service, with its progress, and the file in the end. */
import { useEffect, useState } from "preact/hooks";
import { followed } from "../../../house/exports";
import { formatNumber } from "../../../house/formats";
import type { Problem } from "../../../house/problems";
import { download } from "../../../house/requests";
import { toast } from "../../../house/toasts";
import { type Input, write } from "../../../house/tools";
import { recordsLater as words } from "../../../messages/en/records_later";
import { messages, say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import "../../../styles/records.css";

interface ExportBarProps {
  input: Omit<Input<"export.start">, "what">;
  /** What the file is called, without its ending. */
  name: string;
  onEnd: () => void;
}

export function ExportBar({ input, name, onEnd }: ExportBarProps) {
  const [id, setId] = useState<string | null>(null);
  const [rows, setRows] = useState(0);
  useEffect(() => {
    let isHere = true;
    const failed = ({ title, detail }: Pick<Problem, "title" | "detail">) => toast(detail ?? title, { kind: "failed" });
    const follow = async () => {
      const started = await write("export.start", input);
      if (!started.ok) return failed(started.problem);
      setId(started.answer.id);
      const job = await followed(started.answer, (now) => {
        setRows(now.rows);
        return isHere;
      });
      if (job?.state === "failed") return failed({ title: words.export.failed, detail: job.failure });
      if (!isHere || !job?.downloadPath) return;
      const file = await download(job.downloadPath, `${name}.${job.format}`);
      if (file.ok) toast(say(words.export.done, { n: job.rows }));
      else failed(file.problem);
    };
    void follow().then(() => isHere && onEnd());
    return () => {
      isHere = false;
    };
  }, []);
  return (
    <div class="bulk records-bulk" role="status">
      <span>{say(words.export.progress, { rows: formatNumber(rows) })}</span>
      {id && (
        <Button small look="quiet" onClick={() => void write("export.cancel", { id })}>
          {messages.common.cancel}
        </Button>
      )}
    </div>
  );
}
