/** Settings › Sites: the websites that are tracked, and the tracker's snippet. */
import { useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { useAct } from "../../house/acts";
import { parameter, setParameters } from "../../house/address";
import { may } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { sites as words } from "../../messages/en/organization";
import { messages, say } from "../../messages/messages";
import { ask } from "../../parts/dialog";
import { TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { Icon } from "../../parts/icon";
import { useMaking } from "../../parts/making";
import { Menu } from "../../parts/menu";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Copy, Foreign, RelativeTime } from "../../parts/texts";

type Site = Answer<"site.list">["sites"][number];

export default function Sites() {
  const { answer, problem, query } = useAnswer("site.list", {});
  const mayChange = may("settings");
  const making = useMaking(words.create, { may: mayChange });
  const changing = answer?.sites.find((site) => site.id === parameter("edit"));
  return (
    <Page title={words.title} crumbs={[messages.nav.settings]} about={words.about} actions={making.button} wide>
      <Table
        label={words.title}
        rows={answer?.sites}
        problem={problem}
        again={() => void query.again()}
        idOf={(site) => site.id}
        nameOf={(site) => site.domain}
        empty={
          <Empty icon="globe" title={words.emptyTitle} action={making.button}>
            {words.emptyBody}
          </Empty>
        }
        columns={[
          { key: "domain", label: words.domain, width: "50%", cell: (site) => <strong>{<Foreign>{site.domain}</Foreign>}</strong> },
          { key: "view", label: words.lastView, cell: (site) => <RelativeTime at={site.lastViewAt} /> },
          { key: "added", label: words.added, cell: (site) => <RelativeTime at={site.createdAt} /> },
        ]}
        {...(mayChange && { actions: (site: Site) => <SiteActions site={site} /> })}
      />
      <section class="section narrow">
        <h2>{words.snippet}</h2>
        <p class="soft lead">{words.snippetHint}</p>
        <Copy text={`<script src="${location.origin}/t.js" defer></script>`} label={words.snippet} block />
      </section>
      {making.isOpen && <SiteDialog onClose={making.close} />}
      {mayChange && changing && <SiteDialog key={changing.id} site={changing} onClose={making.close} />}
    </Page>
  );
}

function SiteActions({ site: { id, domain } }: { site: Site }) {
  const remove = async () => {
    const act = () => write("site.remove", { id });
    const title = say(words.removeTitle, { domain });
    if (await ask({ title, body: words.removeBody, confirm: words.remove, danger: true, name: domain, act }))
      toast(say(words.removed, { domain }));
  };
  return (
    <Menu
      label={say(words.actions, { domain })}
      items={[
        [{ label: words.change, icon: "pencil", run: () => setParameters({ edit: id }) }],
        [{ label: words.remove, icon: "trash-2", danger: true, run: () => void remove() }],
      ]}
    >
      <Icon name="ellipsis" />
    </Menu>
  );
}

/** Adds a site, or changes the domain of *site*. */
function SiteDialog({ site, onClose }: { site?: Site; onClose: () => void }) {
  const [domain, setDomain] = useState(site?.domain ?? "");
  const save = async (to: string) => (site ? write("site.update", { id: site.id, domain: to }) : write("site.create", { domain: to }));
  const act = useAct(async () => {
    const result = await save(domain);
    if (!result.ok) return result;
    const said = say(site ? words.changed : words.addedToast, { domain: result.answer.domain });
    toast(said, site ? { undo: () => void write("site.update", { id: site.id, domain: site.domain }) } : {});
    onClose();
    return result;
  });
  return (
    <FormDialog title={site ? words.change : words.create} act={act} submit={site ? messages.common.save : words.create} onClose={onClose}>
      <TextField
        label={words.domain}
        hint={site ? words.changeHint : words.domainHint}
        pointer="/domain"
        value={domain}
        onValue={setDomain}
        placeholder="example.com"
        autoFocus
      />
    </FormDialog>
  );
}
