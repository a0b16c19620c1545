/** The list of objects. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { go, parameter, setParameters, to } from "../../house/address";
import { may } from "../../house/boot";
import { useKeys } from "../../house/keys";
import { useAnswer } from "../../house/queries";
import { write } from "../../house/tools";
import { Page } from "../../frame/page";
import { objects as words } from "../../messages/en/objects";
import { messages } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";
import { Badge, DateOf, Foreign } from "../../parts/texts";
import { slugOf } from "./property_dialog";

export default function Objects() {
  const { answer, problem, query } = useAnswer("object.list", {});
  const create = () => setParameters({ new: "1" });
  useKeys(may("settings") ? [{ key: "c", label: words.create, run: create }] : []);
  const newButton = may("settings") && (
    <Button look="solid" icon="plus" onClick={create}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} crumbs={[messages.nav.settings]} about={words.about} actions={newButton} wide>
      <Table
        label={words.title}
        rows={answer?.objects}
        problem={problem}
        again={() => void query.again()}
        idOf={(object) => object.id}
        nameOf={(object) => object.labelPlural}
        hrefOf={(object) => to(`/app/settings/objects/${object.slug}`)}
        empty={<Empty icon="boxes" title={words.title} action={newButton} />}
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
          { key: "made", label: words.made, width: "18%", phone: "plain", cell: (object) => (object.builtIn ? <span class="soft">{words.builtIn}</span> : <DateOf at={object.createdAt} />) },
        ]}
      />
      {parameter("new") && <NewObject onClose={() => setParameters({ new: null }, { replace: true })} />}
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
    if (result.ok) void go(to(`/app/settings/objects/${result.answer.slug}`), { replace: true });
    return result;
  });
  return (
    <Dialog title={words.create} onClose={onClose}>
      <Form act={act}>
        <TextField label={words.label} hint={words.labelHint} pointer="/label" value={label} onValue={setLabel} max={100} autoFocus />
        <TextField label={words.labelPlural} hint={words.labelPluralHint} pointer="/labelPlural" value={labelPlural} onValue={setPlural} max={100} />
        <TextField label={words.slug} hint={words.slugHint} pointer="/slug" value={slug ?? slugOf(label)} onValue={setSlug} mono />
        <footer>
          <Button onClick={onClose}>{messages.common.cancel}</Button>
          <Button type="submit" look="solid" busy={act.busy}>
            {words.create}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
