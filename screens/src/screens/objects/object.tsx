/** One object: its properties, and whether it may appear in embeds, with what that would show. */
import { useState } from "preact/hooks";
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { useAct } from "../../house/acts";
import { go, parameter, setParameters, to } from "../../house/address";
import { may } from "../../house/boot";
import { useKeys } from "../../house/keys";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { objects as words } from "../../messages/en/objects";
import { messages, say } from "../../messages/messages";
import { Button, LinkButton } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Failure } from "../../parts/failure";
import { TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { Icon } from "../../parts/icon";
import { Menu } from "../../parts/menu";
import { Table } from "../../parts/table/table";
import { Badge, Foreign } from "../../parts/texts";
import { EditProperty, NewProperty, type ObjectDetails, type Property } from "./property_dialog";
import { Publishing } from "./publishing";

export default function ObjectScreen({ params: { object: slug = "" } }: ScreenProps) {
  const { answer: object, problem, query } = useAnswer("object.get", { objectType: slug });
  const mayChange = may("settings");
  const open = (changes: Record<string, string | null>) => setParameters(changes, { replace: Object.values(changes).includes(null) });
  const importing = to(`/app/settings/objects/${slug}/import`);
  useKeys([
    ...(mayChange
      ? [
          { key: "c", label: words.newProperty, run: () => open({ new: "1" }) },
          { key: "e", label: words.edit, run: () => open({ rename: "1" }) },
        ]
      : []),
    ...(may("records.write") ? [{ key: "i", label: words.import, run: () => void go(importing) }] : []),
  ]);
  if (problem && !object) return <Failure page problem={problem} again={() => void query.again()} />;
  if (!object || object.slug !== slug) return <PageSkeleton />;
  const edited = object.properties.find((property) => property.slug === parameter("property"));
  return (
    <Page
      title={object.labelPlural}
      crumbs={[messages.nav.settings, { label: words.title, href: to("/app/settings/objects") }]}
      actions={
        <>
          {mayChange && (
            <Button icon="pencil" onClick={() => open({ rename: "1" })}>
              {words.edit}
            </Button>
          )}
          {may("records.write") && (
            <LinkButton icon="upload" href={importing}>
              {words.import}
            </LinkButton>
          )}
        </>
      }
      wide
    >
      <section>
        <header class="section-head">
          <div>
            <h2>{words.properties}</h2>
            <p class="soft">{words.propertiesAbout}</p>
          </div>
          {mayChange && (
            <Button icon="plus" onClick={() => open({ new: "1" })}>
              {words.newProperty}
            </Button>
          )}
        </header>
        <Properties object={object} onEdit={mayChange ? (property) => open({ property: property.slug }) : undefined} />
      </section>
      <Publishing object={object} />
      {parameter("new") && <NewProperty object={object} onClose={() => open({ new: null })} />}
      {parameter("rename") && <Rename object={object} onClose={() => open({ rename: null })} />}
      {edited && mayChange && <EditProperty key={edited.slug} object={object} property={edited} onClose={() => open({ property: null })} />}
    </Page>
  );
}

function Properties({ object, onEdit }: { object: ObjectDetails; onEdit: ((property: Property) => void) | undefined }) {
  const remove = async ({ slug, label }: Property) => {
    const act = () => write("property.delete", { objectType: object.slug, slug });
    const title = say(words.deleteTitle, { property: label });
    if (await ask({ title, body: words.deleteBody, confirm: words.deleteProperty, danger: true, name: label, act }))
      toast(say(words.deleted, { property: label }));
  };
  return (
    <Table
      label={words.properties}
      rows={object.properties}
      idOf={(property) => property.slug}
      nameOf={(property) => property.label}
      empty={null}
      columns={[
        { key: "label", label: words.name, width: "28%", cell: (property) => <Foreign>{property.label}</Foreign> },
        { key: "slug", label: words.slug, width: "22%", phone: "plain", cell: (property) => <code class="soft">{property.slug}</code> },
        { key: "type", label: words.type, phone: "plain", cell: (property) => <TypeOf property={property} /> },
        {
          key: "marks",
          label: words.personal,
          width: "18%",
          phone: "side",
          cell: ({ personal, unique }) => (
            <span class="row">
              {personal && <Badge kind="accent">{words.personal}</Badge>}
              {unique && <Badge>{words.unique}</Badge>}
            </span>
          ),
        },
      ]}
      {...(onEdit && {
        actions: (property: Property) => (
          <Menu
            label={say(words.propertyActions, { property: property.label })}
            items={[
              [{ label: words.changeProperty, icon: "pencil", run: () => onEdit(property) }],
              [{ label: words.deleteProperty, icon: "trash-2", danger: true, run: () => void remove(property) }],
            ]}
          >
            <Icon name="ellipsis" />
          </Menu>
        ),
      })}
    />
  );
}

function TypeOf({ property: { type, options } }: { property: Property }) {
  const objects = useAnswer("object.list", {}).answer?.objects;
  const detail = type === "relation" ? (objects?.find((one) => one.slug === options[0])?.label ?? options[0] ?? "") : options.join(", ");
  return (
    <span class="two-lines">
      <span>{words.types[type]}</span>
      {detail && (
        <span class="soft">
          <Foreign>{detail}</Foreign>
        </span>
      )}
    </span>
  );
}

function Rename({ object, onClose }: { object: ObjectDetails; onClose: () => void }) {
  const [version] = useState(object.version);
  const [label, setLabel] = useState(object.label);
  const [labelPlural, setPlural] = useState(object.labelPlural);
  const dirty = label !== object.label || labelPlural !== object.labelPlural;
  const act = useAct(async () => {
    const result = await write("object.update", { objectType: object.slug, label, labelPlural, ifVersion: version });
    if (result.ok) {
      toast(words.renamed);
      onClose();
    }
    return result;
  });
  return (
    <FormDialog title={words.edit} act={act} submit={messages.common.save} onClose={onClose} dirty={dirty} disabled={!dirty}>
      <TextField label={words.label} pointer="/label" value={label} onValue={setLabel} max={100} autoFocus />
      <TextField label={words.labelPlural} pointer="/labelPlural" value={labelPlural} onValue={setPlural} max={100} />
    </FormDialog>
  );
}
