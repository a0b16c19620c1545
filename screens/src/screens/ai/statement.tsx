/** The ledger of credits, a call's reservation and its settlement as one line; and all of it as a file. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { formatExactCredits } from "../../house/formats";
import { useList } from "../../house/lists";
import { toast } from "../../house/toasts";
import { ai } from "../../messages/en/ai";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { DateOf, Foreign, RelativeTime } from "../../parts/texts";
import { type Entry, linesOf, saveStatement } from "./statement_lines";
import "../../styles/ai.css";

const words = ai.statement;

export function StatementOfCredits() {
  const list = useList("ai.statement", "entries", {});
  const [fetched, setFetched] = useState<number | null>(null);
  const download = useAct(async () => {
    const result = await saveStatement(words.file, setFetched);
    setFetched(null);
    if (result.ok) toast(say(result.answer.isCut ? words.cut : words.done, { n: result.answer.count }));
    else toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
    return result;
  });
  return (
    <div class="stack-wide">
      <div class="providers-head">
        <p class="soft">{words.about}</p>
        <Button icon="download" busy={download.busy} onClick={() => void download.run()}>
          {fetched ? say(words.fetching, { n: fetched }) : words.download}
        </Button>
      </div>
      <Table
        label={ai.tabs.statement}
        rows={list.rows && linesOf(list.rows)}
        problem={list.problem}
        again={list.again}
        idOf={(line) => line.id}
        nameOf={(line) => words[line.kind]}
        hasMore={list.hasMore}
        more={list.more}
        empty={<Empty icon="coins" title={words.empty} />}
        columns={[
          { key: "what", label: words.what, width: "34%", cell: (line) => words[line.kind] },
          { key: "note", label: words.note, phone: "plain", cell: (line) => line.note && <Foreign>{line.note}</Foreign> },
          { key: "amount", label: words.amount, align: "end", cell: (line) => <Amount of={line.amount} /> },
          { key: "after", label: words.after, align: "end", cell: (line) => formatExactCredits(line.after) },
          { key: "at", label: words.at, width: "16%", phone: "side", align: "end", cell: (line) => <When at={line.at} /> },
        ]}
      />
    </div>
  );
}

const WEEK_MS = 7 * 86_400_000;

function When({ at }: { at: Entry["at"] }) {
  return Date.now() - Date.parse(at) < WEEK_MS ? <RelativeTime at={at} /> : <DateOf at={at} />;
}

function Amount({ of: micro }: { of: number }) {
  return (
    <span class={micro > 0 ? "amount-in" : undefined}>
      {micro > 0 ? `+${formatExactCredits(micro)}` : formatExactCredits(micro).replace("-", "−")}
    </span>
  );
}
