/** An import in a line: its state, its figures, and who started it. */
import { formatList } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import { Badge, Foreign } from "../../parts/texts";
import { sentence } from "./phrases";

export type ListedImport = Answer<"import.list">["imports"][number];

const said = words.list;
const FIGURES = ["created", "updated", "unchanged", "suggested", "refused"] as const;
const KINDS = {
  uploading: "accent",
  uploaded: "warn",
  running: "accent",
  checked: "warn",
  done: "good",
  failed: "bad",
  cancelled: "plain",
} as const;

export function StateBadge({ of: { state, undoState } }: { of: Pick<ListedImport, "state" | "undoState"> }) {
  if (undoState === "running") return <Badge kind="accent">{said.undoing}</Badge>;
  if (undoState) return <Badge>{said.undone}</Badge>;
  return <Badge kind={KINDS[state]}>{said.states[state]}</Badge>;
}

/** What became of the lines; of a dry run what would have, told as that. */
export function figuresOf({ counts, dryRun, failure }: Pick<ListedImport, "counts" | "dryRun" | "failure">) {
  const parts = FIGURES.filter((figure) => counts[figure] > 0).map((figure) => say(said[figure], { n: counts[figure] }));
  if (parts.length === 0) return <span class="soft">{failure ? <Foreign>{sentence(failure)}</Foreign> : said.nothing}</span>;
  const figures = formatList(parts);
  return dryRun ? <span class="soft">{say(said.preview, { figures })}</span> : <span>{figures}</span>;
}

/** By whom an import was started, by name as far as it is known. */
export function useStarters(): (one: Pick<ListedImport, "startedBy">) => string {
  const people = useAnswer("member.list", { limit: 200 }).answer?.members ?? [];
  return ({ startedBy }) => {
    if (!startedBy) return "";
    const name = people.find(({ id }) => id === startedBy.personId)?.name || said.unknown;
    if (startedBy.kind === "person") return name;
    return startedBy.kind === "key" ? say(said.key, { name }) : (OTHERS[startedBy.kind] ?? name);
  };
}

const OTHERS: Partial<Record<string, string>> = { workflow: said.workflow, agent: said.agent, operator: said.operator };
