/** Who did something to a record: a member with a face, or the form, messenger, workflow, key or agent that did. */
import { session } from "../../../house/boot";
import { recordPage } from "../../../messages/en/record_page";
import { say } from "../../../messages/messages";
import { Avatar } from "../../../parts/avatar";
import { Icon } from "../../../parts/icon";
import type { IconName } from "../../../parts/icon_names";
import { Foreign } from "../../../parts/texts";
import type { Entry } from "./shapes";
import "../../../styles/record_page.css";

const words = recordPage.who;
type Author = NonNullable<Entry["who"]>;

const ICONS: Readonly<Record<Author["kind"], IconName>> = {
  person: "user",
  contact: "user",
  key: "key-round",
  grant: "plug",
  form: "clipboard-list",
  connection: "inbox",
  workflow: "play",
  agent: "sparkles",
  service: "server",
};

/** The face beside an entry: of a member or a contact, else the sign of what did it, else *icon*. */
export function Mark({ who, icon }: { who: Author | null; icon: IconName }) {
  if (who?.name && (who.kind === "person" || who.kind === "contact")) return <Avatar name={who.name} />;
  return (
    <span class="entry-icon">
      <Icon name={who ? ICONS[who.kind] : icon} size={14} />
    </span>
  );
}

/** The name of who did it, with what it is where that is no person. */
export function Who({ who }: { who: Author | null }) {
  if (who === null) return <strong>{words.unknown}</strong>;
  const { kind, id, name } = who;
  if (!name) return <strong>{words.kinds[kind]}</strong>;
  const isSelf = kind === "person" && id === session.value?.person.id;
  const isPerson = kind === "person" || kind === "contact";
  return (
    <strong>
      <Foreign>{isSelf ? words.you : isPerson ? name : say(words.named, { kind: words.kinds[kind], name })}</Foreign>
    </strong>
  );
}
