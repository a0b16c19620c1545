/** What stands in the place of a list without records: how they come, or that none fits. */
import type { ComponentChildren } from "preact";
import { may } from "../../house/boot";
import { recordsLater as words } from "../../messages/en/records_later";
import { messages, say } from "../../messages/messages";
import { LinkButton } from "../../parts/button";
import { Empty } from "../../parts/states";

interface EmptyListProps {
  search: string;
  /** Whether something is searched or filtered for. */
  isNarrowed: boolean;
  objects: string;
  importHref: string;
  /** The button that makes a first one. */
  children: ComponentChildren;
}

export function EmptyList({ search, isNarrowed, objects, importHref, children }: EmptyListProps) {
  if (isNarrowed) {
    return (
      <Empty icon="search" title={search ? say(messages.table.noneFound, { text: search }) : words.noneFit}>
        {words.noneFitBody}
      </Empty>
    );
  }
  const buttons = may("records.write") && (
    <div class="row">
      <LinkButton href={importHref} icon="upload">
        {words.importFirst}
      </LinkButton>
      {children}
    </div>
  );
  return (
    <Empty icon="table-2" title={say(words.empty, { objects })} action={buttons}>
      {words.emptyBody}
    </Empty>
  );
}
