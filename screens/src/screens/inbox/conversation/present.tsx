/** The faces of those who have the same conversation open, and who of them writes. */
import { formatList } from "../../../house/formats";
import { inboxLater } from "../../../messages/en/inbox_later";
import { say } from "../../../messages/messages";
import { Avatar } from "../../../parts/avatar";
import { Foreign } from "../../../parts/texts";
import type { PersonPresent } from "./presence";
import "../../../styles/inbox.css";

const words = inboxLater.present;

export function Present({ people }: { people: readonly PersonPresent[] }) {
  const writing = people.filter(({ activity }) => activity === "writes");
  const named = writing.length > 0 ? writing : people;
  const forms = writing.length > 0 ? words.writing : words.looking;
  return (
    <p class="present" role="status" data-writing={writing.length > 0 ? "" : undefined}>
      {named.map(({ id, name }) => (
        <Avatar key={id} name={name} />
      ))}
      <Foreign>{say(forms, { n: named.length, names: formatList(named.map(({ name }) => name)) })}</Foreign>
    </p>
  );
}
