import { to } from "../../house/address";
import { useAnswer } from "../../house/queries";
import { forms as words } from "../../messages/en/forms";
import { submissions as submissionWords } from "../../messages/en/submissions";
import { Bars } from "../../parts/chart";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { RelativeTime } from "../../parts/texts";
import type { FormDetails } from "./form_details";
import { Excerpt, type Line, nameOf, Sender, StateBadge } from "./submission";

const DAYS = 30;

/** Submissions by day, and the latest 20. */
export function Overview({ form, openId }: { form: FormDetails; openId: string | null }) {
  const counts = useAnswer("submission.counts", { formId: form.id, days: DAYS }).answer;
  return (
    <>
      {counts && <Bars label={words.byDay} bars={counts.days.map(({ date, submissions }) => ({ day: date, count: submissions }))} />}
      <section class="section">
        <h2>{words.latest}</h2>
        <Table
          label={words.latest}
          rows={form.recentSubmissions}
          idOf={(line) => line.id}
          nameOf={nameOf}
          hrefOf={(line) => to(`/app/forms/${form.id}/${line.id}`)}
          openId={openId}
          empty={<Empty icon="inbox" title={words.latestEmpty} />}
          columns={[
            { key: "by", label: submissionWords.sentBy, width: openId ? "50%" : "26%", cell: (line) => <Sender of={line} /> },
            ...(openId
              ? []
              : [{ key: "message", label: submissionWords.message, phone: "text" as const, cell: (line: Line) => <Excerpt of={line} /> }]),
            {
              key: "state",
              label: submissionWords.state,
              width: "26%",
              phone: "plain",
              cell: (line) => <StateBadge of={line} brief={openId !== null} />,
            },
            {
              key: "at",
              label: submissionWords.received,
              width: openId ? "24%" : "14%",
              phone: "side",
              align: "end",
              cell: (line) => <RelativeTime at={line.receivedAt} />,
            },
          ]}
        />
      </section>
    </>
  );
}
