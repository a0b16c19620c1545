/** A role: its name and its permissions; a custom one is changed here, made, and deleted. */

import { useAct } from "../../house/acts";
import { to } from "../../house/address";
import { may, type Permission } from "../../house/boot";
import { useDraft } from "../../house/drafts";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { roles as words } from "../../messages/en/people";
import { permissions as permissionNames } from "../../messages/en/permissions";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Clashes } from "../../parts/clashes";
import { ask } from "../../parts/dialog";
import { TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { PERMISSIONS, PermissionGrid } from "./permission_grid";
import { mayGive, type Role } from "./rights";

interface RoleEditorProps {
  /** Null for one that is to be made. */
  role: Role | null;
  onMade: (id: string) => void;
  onDeleted: () => void;
}

const NAME = "name";

/** The name, and for each permission whether the role has it: each can be changed for itself. */
function storedOf(role: Role | null): Record<string, string | boolean> {
  return { [NAME]: role?.name ?? "", ...Object.fromEntries(PERMISSIONS.map((one) => [one, role?.permissions.includes(one) ?? false])) };
}

export function RoleEditor({ role, onMade, onDeleted }: RoleEditorProps) {
  const work = useDraft(role?.version ?? 0, storedOf(role));
  const { draft, set, dirty, clashes } = work;
  const fixed = role !== null && (role.builtin || !mayGive(role));
  const name = String(draft[NAME]);
  const act = useAct(async () => {
    const permissions = PERMISSIONS.filter((one) => draft[one] === true);
    const result = role
      ? await write("role.update", { id: role.id, name, permissions, ifVersion: work.version })
      : await write("role.create", { name, permissions });
    if (result.ok) {
      work.take(result.answer.version, storedOf(result.answer));
      toast(say(role ? words.saved : words.made, { name: result.answer.name }));
      // After the work counts as saved: opening the new role leaves this one.
      if (!role) setTimeout(() => onMade(result.answer.id));
    }
    return result;
  });
  const remove = async ({ id, name: title }: Role) => {
    const question = {
      title: say(words.deleteTitle, { name: title }),
      body: words.deleteBody,
      confirm: words.delete,
      danger: true,
      name: title,
    };
    if (await ask({ ...question, act: () => write("role.delete", { id }) })) {
      toast(say(words.deleted, { name: title }));
      onDeleted();
    }
  };
  return (
    <Form act={act} dirty={dirty} label={role?.name ?? words.create}>
      {fixed && <p class="preview soft">{whyFixed(role)}</p>}
      <Clashes
        of={work}
        labelOf={labelOf}
        textOf={(key, value) => (key === NAME ? String(value) : value ? words.grants.yes : words.grants.no)}
      />
      {!fixed && (
        <TextField
          label={words.name}
          pointer="/name"
          value={name}
          onValue={(to) => set({ [NAME]: to })}
          max={200}
          autoFocus={role === null}
        />
      )}
      <PermissionGrid has={(one) => draft[one] === true} onChange={(one, has) => set({ [one]: has })} disabled={fixed} />
      {!fixed && !PERMISSIONS.every(may) && <p class="field-hint">{words.notYours}</p>}
      {role && (
        <p class="links">
          <a href={to("/app/settings/members", { role: role.id })}>{words.members}</a>
        </p>
      )}
      {!fixed && (
        <div class={dirty ? "form-actions form-save" : "form-actions"}>
          <Button type="submit" look="solid" busy={act.busy} disabled={(role !== null && !dirty) || clashes.length > 0}>
            {role ? messages.common.save : words.make}
          </Button>
          {role && dirty && (
            <Button look="quiet" onClick={() => work.take(role.version, storedOf(role))}>
              {messages.common.cancel}
            </Button>
          )}
          {role && !dirty && (
            <Button icon="trash-2" onClick={() => void remove(role)}>
              {words.delete}
            </Button>
          )}
        </div>
      )}
    </Form>
  );
}

function whyFixed(role: Role): string {
  if (role.builtin) return words.builtinBody;
  return may("settings") ? words.above : say(words.readOnly, { permission: permissionNames.settings });
}

const labelOf = (key: string) => (key === NAME ? words.name : permissionNames[key as Permission]);
