/** Saved replies: found, used, made and changed. */
import { useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { may } from "../../../house/boot";
import { useAnswer } from "../../../house/queries";
import { toast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { inboxLater } from "../../../messages/en/inbox_later";
import { messages, say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { ask, Dialog } from "../../../parts/dialog";
import { Failure } from "../../../parts/failure";
import { SwitchField, TextField } from "../../../parts/field";
import { Form } from "../../../parts/form";
import { Icon } from "../../../parts/icon";
import { Menu } from "../../../parts/menu";
import { Empty, Skeleton } from "../../../parts/states";
import { Badge, Foreign } from "../../../parts/texts";
import { type Template, textOf } from "./saved_replies";
import "../../../styles/inbox.css";

const words = inboxLater.saved;
const NAME_MAX = 100;
const TEXT_MAX = 4_000;

interface SavedRepliesProps {
  conversationId: string;
  onUse: (template: Template) => void;
  onClose: () => void;
}

export function SavedReplies({ conversationId, onUse, onClose }: SavedRepliesProps) {
  const { answer, problem, query } = useAnswer("reply_template.list", { conversationId });
  const [edited, setEdited] = useState<Template | "new" | null>(null);
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLocaleLowerCase();
  const found = answer?.templates.filter(({ name, text }) => `${name}\n${text}`.toLocaleLowerCase().includes(wanted));
  if (edited !== null) {
    const back = () => setEdited(null);
    return (
      <Editor key={edited === "new" ? edited : edited.id} template={edited === "new" ? null : edited} onDone={back} onClose={onClose} />
    );
  }
  return (
    <Dialog title={words.title} onClose={onClose} wide>
      <div class="saved-head">
        <input
          class="control"
          type="search"
          autoFocus
          aria-label={words.search}
          placeholder={words.search}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <Button icon="plus" onClick={() => setEdited("new")}>
          {words.create}
        </Button>
      </div>
      {!found ? (
        problem ? (
          <Failure problem={problem} again={() => void query.again()} />
        ) : (
          <Skeleton lines={4} height={48} />
        )
      ) : found.length === 0 ? (
        <Empty icon="message-square-text" title={wanted ? say(messages.table.noneFound, { text: search }) : words.emptyTitle}>
          {wanted ? null : words.emptyBody}
        </Empty>
      ) : (
        <ul class="saved-list">
          {found.map((template) => (
            <li key={template.id}>
              <button type="button" class="saved-use" onClick={() => onUse(template)}>
                <strong>
                  <Foreign>{template.name}</Foreign> {!template.shared && <Badge>{words.own}</Badge>}
                </strong>
                <span class="soft two-line-text">
                  <Foreign>{textOf(template)}</Foreign>
                </span>
              </button>
              {mayChange(template) && <Actions template={template} onEdit={() => setEdited(template)} />}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

const mayChange = ({ shared }: Template): boolean => !shared || may("channels");

function Actions({ template, onEdit }: { template: Template; onEdit: () => void }) {
  const remove = async () => {
    const act = () => write("reply_template.delete", { id: template.id });
    const title = say(words.removeTitle, { name: template.name });
    if (await ask({ title, body: words.removeBody, confirm: words.remove, danger: true, act })) {
      toast(say(words.removed, { name: template.name }));
    }
  };
  return (
    <Menu
      label={say(words.actions, { name: template.name })}
      items={[
        [
          { label: words.edit, icon: "pencil", run: onEdit },
          { label: words.remove, icon: "trash-2", danger: true, run: () => void remove() },
        ],
      ]}
    >
      <Icon name="ellipsis" />
    </Menu>
  );
}

function Editor({ template, onDone, onClose }: { template: Template | null; onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState(template?.name ?? "");
  const [text, setText] = useState(template?.text ?? "");
  const [isShared, setShared] = useState(template?.shared ?? may("channels"));
  const act = useAct(async () => {
    const input = { name: name.trim(), text, shared: isShared };
    const result = template
      ? await write("reply_template.update", { id: template.id, ifVersion: template.version, ...input })
      : await write("reply_template.create", input);
    if (result.ok) onDone();
    return result;
  });
  const insert = (field: string) => setText(`${text}{{${field}}}`);
  return (
    <Dialog title={template ? words.edit : words.create} onClose={onClose} wide>
      <Form act={act} dirty={name !== (template?.name ?? "") || text !== (template?.text ?? "")}>
        <TextField label={words.name} pointer="/name" value={name} onValue={setName} max={NAME_MAX} autoFocus />
        <TextField label={words.text} pointer="/text" value={text} onValue={setText} max={TEXT_MAX} lines={6} hint={words.textHint} />
        <div class="row">
          <span class="soft">{words.insert}</span>
          {(["contact.name", "contact.email", "member.name"] as const).map((field) => (
            <Button key={field} look="plain" small onClick={() => insert(field)}>
              {words.fields[field]}
            </Button>
          ))}
        </div>
        {may("channels") && <SwitchField label={words.shared} hint={words.sharedHint} on={isShared} onValue={setShared} />}
        <footer>
          <Button onClick={onDone}>{messages.common.cancel}</Button>
          <Button type="submit" look="solid" busy={act.busy} disabled={!name.trim() || !text.trim()}>
            {messages.common.save}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
