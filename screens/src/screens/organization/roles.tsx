/** Settings › Roles: which there are, and a panel with the permissions of one as a grid. */

import { Page } from "../../frame/page";
import { parameter, setParameters, to } from "../../house/address";
import { may } from "../../house/boot";
import { useKeys } from "../../house/keys";
import { useAnswer } from "../../house/queries";
import { roles as words } from "../../messages/en/people";
import { permissions as permissionNames } from "../../messages/en/permissions";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Panel } from "../../parts/panel";
import { Empty, Skeleton } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Badge, Foreign } from "../../parts/texts";
import { PERMISSIONS } from "./permission_grid";
import type { Role } from "./rights";
import { RoleEditor } from "./role_editor";

const PATH = "/app/settings/roles";
const NEW = "new";

export default function Roles() {
  const { answer, problem, query } = useAnswer("role.list", {});
  const open = parameter("open");
  const mayChange = may("settings");
  const show = (id: string | null, replace = false) => setParameters({ open: id }, { replace });
  useKeys(mayChange ? [{ key: "c", label: words.create, run: () => show(NEW) }] : []);
  const newButton = mayChange && (
    <Button look="solid" icon="plus" onClick={() => show(NEW)}>
      {words.create}
    </Button>
  );
  const opened = answer?.roles.find((role) => role.id === open);
  return (
    <Page
      title={words.title}
      crumbs={[messages.nav.settings]}
      about={words.about}
      actions={newButton}
      wide
      panel={
        open && (
          <Panel title={open === NEW ? words.create : opened ? <Foreign>{opened.name}</Foreign> : ""} of={open} onClose={() => show(null)}>
            {opened || (open === NEW && mayChange) ? (
              <RoleEditor key={open} role={opened ?? null} onMade={(id) => show(id, true)} onDeleted={() => show(null, true)} />
            ) : answer ? (
              <Empty icon="shield-check" title={words.gone} />
            ) : (
              <Skeleton lines={5} height={32} />
            )}
          </Panel>
        )
      }
    >
      <Table
        label={words.title}
        rows={answer?.roles}
        problem={problem}
        again={() => void query.again()}
        idOf={(role) => role.id}
        nameOf={(role) => role.name}
        hrefOf={(role) => to(PATH, { open: role.id })}
        openId={open}
        empty={<Empty icon="shield-check" title={words.gone} />}
        columns={[
          { key: "name", label: words.name, width: open ? "52%" : "28%", cell: (role) => <Foreign>{role.name}</Foreign> },
          ...(open
            ? []
            : [{ key: "permissions", label: words.permissions, phone: "plain" as const, cell: (role: Role) => <Permissions of={role} /> }]),
          {
            key: "kind",
            label: words.kind,
            width: open ? "48%" : "12%",
            phone: "side",
            cell: (role) => <Badge kind={role.builtin ? "plain" : "accent"}>{role.builtin ? words.builtin : words.custom}</Badge>,
          },
        ]}
      />
    </Page>
  );
}

/** The names of what *role* permits, as many as a line takes. */
function Permissions({ of: { permissions } }: { of: Role }) {
  const most = PERMISSIONS.length;
  if (permissions.length === most) return <>{words.allOf}</>;
  return (
    <span class="two-lines">
      <span>{say(words.some, { n: permissions.length, most })}</span>
      <span class="soft">
        {PERMISSIONS.filter((one) => permissions.includes(one))
          .map((one) => permissionNames[one])
          .join(", ")}
      </span>
    </span>
  );
}
