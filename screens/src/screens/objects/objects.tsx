/** The list of objects. */
import { useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { useAct } from "../../house/acts";
import { go, to } from "../../house/address";
import { may } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import { slugOf } from "../../house/slugs";
import { write } from "../../house/tools";
import { objects as words } from "../../messages/en/objects";
import { messages } from "../../messages/messages";
import { TextField } from "../../parts/field";
import { useFound } from "../../parts/filter";
import { FormDialog } from "../../parts/form_dialog";
import { useMaking } from "../../parts/making";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Badge, DateOf, Foreign } from "../../parts/texts";

export default function Objects() {
  const { answer, problem, query } = useAnswer("object.list", {});
  const found = useFound(words.search, answer?.objects, (object) => `${object.labelPlural} ${object.label} ${object.slug}`);
  const making = useMaking(words.create, { may: may("settings") });
  return (
    <Page title={words.title} crumbs={[messages.nav.settings]} about={words.about} actions={making.button} wide>
      {found.search}
      <Table
        label={words.title}
        rows={found.rows}
        problem={problem}
        again={() => void query.again()}
        idOf={(object) => object.id}
        nameOf={(object) => object.labelPlural}
        hrefOf={(object) => to(`/app/settings/objects/${object.slug}`)}
        empty={found.none ?? <Empty icon="boxes" title={words.title} action={making.button} />}
        columns={[
          { key: "name", label: words.name, width: "30%", cell: (object) => <Foreign>{object.labelPlural}</Foreign> },
          { key: "slug", label: words.slug, phone: "plain", cell: (object) => <code class="soft">{object.slug}</code> },
          {
            key: "embeds",
            label: words.inEmbeds,
            width: "20%",
            phone: "side",
            cell: (object) => (object.publishable ? <Badge kind="good">{words.may}</Badge> : <span class="soft">{words.mayNot}</span>),
          },
          {
            key: "made",
            label: words.made,
            width: "18%",
            phone: "plain",
            cell: (object) => (object.builtIn ? <span class="soft">{words.builtIn}</span> : <DateOf at={object.createdAt} />),
          },
        ]}
      />
      {making.isOpen && <NewObject onClose={making.close} />}
    </Page>
  );
}

function NewObject({ onClose }: { onClose: () => void }) {
  const [label, setLabel] = useState("");
  const [plural, setPlural] = useState<string | null>(null);
  const [slug, setSlug] = useState<string | null>(null);
  const labelPlural = plural ?? (label && `${label}s`);
  const act = useAct(async () => {
    const result = await write("object.create", { slug: slug ?? slugOf(label), label, labelPlural });
    if (result.ok) void go(to(`/app/settings/objects/${result.answer.slug}`), { replace: true, saved: true });
    return result;
  });
  return (
    <FormDialog title={words.create} act={act} submit={words.make} onClose={onClose}>
      <TextField label={words.label} hint={words.labelHint} pointer="/label" value={label} onValue={setLabel} max={100} autoFocus />
      <TextField
        label={words.labelPlural}
        hint={words.labelPluralHint}
        pointer="/labelPlural"
        value={labelPlural}
        onValue={setPlural}
        max={100}
      />
      <TextField label={words.slug} hint={words.slugHint} pointer="/slug" value={slug ?? slugOf(label)} onValue={setSlug} mono />
    </FormDialog>
  );
}
