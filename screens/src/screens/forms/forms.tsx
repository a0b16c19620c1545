/** The list of forms, with what came today and what is held. */
import { Page } from "../../frame/page";
import { go, to } from "../../house/address";
import { formatNumber } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { write } from "../../house/tools";
import { forms as words } from "../../messages/en/forms";
import { useFound } from "../../parts/filter";
import { useMaking } from "../../parts/making";
import { NewThing } from "../../parts/new_thing";
import { StatusBadge } from "../../parts/public_thing";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Foreign } from "../../parts/texts";

export default function Forms() {
  const { answer, problem, query } = useAnswer("form.list", {});
  const counts = useAnswer("submission.counts", {}).answer;
  const countOf = (id: string) => counts?.forms.find((count) => count.formId === id);
  const found = useFound(words.search, answer?.forms, (form) => `${form.name} ${form.domain ?? ""}`);
  const making = useMaking(words.create);
  return (
    <Page title={words.title} about={words.about} actions={making.button} wide>
      {found.search}
      <Table
        label={words.title}
        rows={found.rows}
        problem={problem}
        again={() => void query.again()}
        idOf={(form) => form.id}
        nameOf={(form) => form.name}
        hrefOf={(form) => to(`/app/forms/${form.id}`)}
        empty={
          found.none ?? (
            <Empty icon="clipboard-list" title={words.emptyTitle} action={making.button}>
              {words.emptyBody}
            </Empty>
          )
        }
        columns={[
          { key: "name", label: words.name, width: "36%", cell: (form) => <Foreign>{form.name}</Foreign> },
          {
            key: "site",
            label: words.site,
            phone: "plain",
            cell: (form) => (form.domain ? <Foreign>{form.domain}</Foreign> : <span class="soft">{words.notBound}</span>),
          },
          {
            key: "status",
            label: words.status,
            width: "12%",
            phone: "side",
            cell: (form) => <StatusBadge status={form.status} words={words} />,
          },
          { key: "today", label: words.today, width: "10%", align: "end", cell: (form) => formatNumber(countOf(form.id)?.today ?? 0) },
          {
            key: "held",
            label: words.held,
            width: "10%",
            align: "end",
            cell: (form) => {
              const held = countOf(form.id)?.held ?? 0;
              return held > 0 ? (
                <a href={to("/app/submissions", { state: "Held", form: form.id })}>{formatNumber(held)}</a>
              ) : (
                <span class="soft">0</span>
              );
            },
          },
        ]}
      />
      {making.isOpen && (
        <NewThing
          words={words}
          noSite={words.notBound}
          make={(name, siteId) => write("form.create", { name, siteId })}
          onMade={(id) => void go(to(`/app/forms/${id}`, { tab: "install" }), { replace: true, saved: true })}
          onClose={making.close}
        />
      )}
    </Page>
  );
}
