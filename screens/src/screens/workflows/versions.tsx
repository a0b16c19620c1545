/** The versions of a workflow: who saved which, what each changed, and a way back to it. */
import { useState } from "preact/hooks";
import { to } from "../../house/address";
import { formatList } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { workflows as words } from "../../messages/en/workflows";
import { say } from "../../messages/messages";
import { Skeleton } from "../../parts/states";
import { Foreign, RelativeTime } from "../../parts/texts";
import { PEOPLE } from "../../questions";
import { changesInWords } from "./changes";
import { useChoices } from "./known";
import { modelOf, placed } from "./model";
import { valuesAt } from "./scope";
import { StepSentence } from "./sentences";
import { triggerText } from "./trigger_text";
import { documentIn } from "./workflow_document";
import "../../styles/workflows.css";

type Details = Answer<"workflow.get">;
type Version = Details["versions"][number];

export function Versions({ workflow }: { workflow: Details }) {
  const members = useAnswer("member.list", PEOPLE.input).answer?.members ?? [];
  const [open, setOpen] = useState<number | null>(null);
  const nameOf = (id: string) => members.find((member) => member.id === id)?.name ?? words.somebody;
  const author = ({ callerKind, personId }: Version) => {
    if (callerKind === null) return words.unknownAuthor;
    const name = personId ? nameOf(personId) : words.somebody;
    return callerKind === "key" ? say(words.byKey, { name }) : name;
  };
  return (
    <ol class="versions">
      {workflow.versions.map((version, at) => (
        <li key={version.version}>
          <div class="version-head">
            <button
              type="button"
              class="version-open"
              aria-expanded={open === version.version}
              onClick={() => setOpen(open === version.version ? null : version.version)}
            >
              <strong>{say(words.versionN, { n: version.version })}</strong>
              {version.version === workflow.version && <span class="soft"> · {words.current}</span>}
            </button>
            <span>
              <Foreign>{author(version)}</Foreign>
            </span>
            <span class="soft">
              <RelativeTime at={version.createdAt} />
            </span>
          </div>
          {open === version.version && (
            <Changes workflow={workflow} version={version.version} before={workflow.versions[at + 1]?.version ?? null} />
          )}
        </li>
      ))}
    </ol>
  );
}

function Changes({ workflow, version, before }: { workflow: Details; version: number; before: number | null }) {
  const now = useAnswer("workflow.get", { id: workflow.id, version }).answer;
  const old = useAnswer("workflow.get", { id: workflow.id, version: before ?? version }).answer;
  if (!now || !old) return <Skeleton lines={3} />;
  const changes = before === null ? [] : changesInWords(documentIn(old), documentIn(now));
  return (
    <div class="version-body">
      <p>
        <span class="soft">{words.whatChanged}: </span>
        {before === null ? words.firstVersion : changes.length > 0 ? formatList(changes) : words.unchanged}
      </p>
      <AsText document={documentIn(now)} />
      {version !== workflow.version && (
        <a class="button button-plain button-small" href={to(`/app/workflows/${workflow.id}`, { from: String(version) })}>
          {words.restore}
        </a>
      )}
    </div>
  );
}

/** A document as one reads it. */
function AsText({ document }: { document: ReturnType<typeof documentIn> }) {
  const model = modelOf(document);
  const choices = useChoices(model);
  const { known } = choices;
  if (!known) return <Skeleton lines={3} />;
  const objectLabel = (slug: string) => known.names.get(slug) ?? slug;
  return (
    <div class="as-text">
      <p>
        <strong>{words.when}</strong> {triggerText(document.trigger, { ...choices, objectLabel })}
      </p>
      <ol>
        {placed(model.steps).map(({ node, around }) => (
          <li key={node.id} style={{ marginInlineStart: `${around.length * 20}px` }}>
            <StepSentence facts={node.facts} values={valuesAt(model, node.id, known)} choices={choices} />
          </li>
        ))}
      </ol>
    </div>
  );
}
