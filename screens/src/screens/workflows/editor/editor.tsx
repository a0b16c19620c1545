/** The editor: a workflow in sentences, checked while one types, with what it would do beside it. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { go, parameter, setParameters, to } from "../../../house/address";
import { formatList } from "../../../house/formats";
import { useHistory } from "../../../house/history";
import { useKeys } from "../../../house/keys";
import { ownProblem, type Problem } from "../../../house/problems";
import { useAnswer } from "../../../house/queries";
import { toast, undoLast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { workflows as words } from "../../../messages/en/workflows";
import { messages, say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { TextField } from "../../../parts/field";
import { Form } from "../../../parts/form";
import { later } from "../../../parts/later";
import { Skeleton } from "../../../parts/states";
import { changesInWords } from "../changes";
import { useChoices } from "../known";
import { documentOf, isSame, type Model, modelOf, placed, type WorkflowDocument } from "../model";
import { EditorProvider } from "./context";
import { Steps } from "./steps";
import { BurstSwitch, TriggerConditions, TriggerFields } from "./trigger_fields";
import "../../../styles/embeds.css";
import "../../../styles/workflows.css";

const PAUSE_MS = 300;

const Try = later(async () => (await import("./try")).Try);
const DocumentText = later(async () => (await import("./document_text")).DocumentText);

export interface Stored {
  id: string;
  version: number;
  enabled: boolean;
  document: WorkflowDocument;
}

export interface EditorProps {
  /** Null for a new one. */
  stored: Stored | null;
  /** What the draft begins with, where that is not what is stored. */
  begin?: WorkflowDocument | null;
  again: () => void;
}

export function Editor({ stored, begin = null, again }: EditorProps) {
  const [base, setBase] = useState(() => ({ version: stored?.version ?? 0, document: stored?.document ?? null }));
  const first = begin ?? stored?.document ?? BLANK;
  const { draft, change, undo, redo, reset, canUndo, canRedo } = useHistory<Model>(useMemo(() => modelOf(first), []));
  const [fresh, setFresh] = useState<number | null>(stored === null && begin === null ? 0 : null);
  const document = useMemo(() => documentOf(draft), [draft]);
  const dirty = base.document === null ? !isSame(document, BLANK) : !isSame(base.document, document);
  const choices = useChoices(draft);
  const report = useReport(document);

  const theirs = stored && stored.version > base.version ? stored : null;
  const isBehind = theirs !== null && dirty && !isSame(theirs.document, document);
  const take = (from: Stored) => {
    setBase({ version: from.version, document: from.document });
    reset(modelOf(from.document));
  };
  useEffect(() => {
    if (theirs === null || isBehind) return;
    if (dirty) setBase({ version: theirs.version, document: theirs.document });
    else take(theirs);
  }, [stored?.version]);

  const act = useAct(async () => {
    setFresh(null);
    const result = stored
      ? await write("workflow.update", { id: stored.id, version: base.version, ...document })
      : await write("workflow.create", document);
    if (result.ok) {
      const { id, name, trigger, conditions, steps, version } = result.answer;
      setBase({ version, document: { name, trigger, conditions, steps } });
      toast(stored ? words.saved : say(words.created, { name }));
      if (!stored) void go(to(`/app/workflows/${id}`), { replace: true, saved: true });
    } else if (result.problem.code === "conflict") again();
    return result;
  });
  useKeys([
    { key: "z", label: words.undo, run: () => void (undoLast() || undo()) },
    { key: "y", label: words.redo, run: redo },
  ]);

  useEffect(() => {
    if (act.problem) act.forget(); // It was of what stood there before.
  }, [document]);
  const seeks = useRef(false);
  useEffect(() => {
    const faulty = seeks.current && globalThis.document.querySelector<HTMLElement>(".workflow-editor [aria-invalid=true]");
    if (!faulty) return;
    seeks.current = false;
    faulty.focus();
  });
  const known = choices.known;
  if (!known) return <Skeleton lines={8} />;
  const freshPointer = placed(draft.steps).find(({ node }) => node.id === fresh)?.pointer;
  const shownFaults = (report?.faults ?? []).filter(({ pointer }) => !isFresh(pointer, fresh, freshPointer));
  const live: Problem | null = shownFaults.length > 0 ? { ...ownProblem("refused", ""), faults: shownFaults } : null;
  const changes = base.document ? changesInWords(base.document, document) : [];
  const showFirst = () => {
    const [fault] = report?.faults ?? [];
    const step = placed(draft.steps)
      .filter(({ pointer }) => fault?.pointer.startsWith(pointer))
      .at(-1);
    setFresh(null);
    if (step) setParameters({ step: step.node.facts.key }, { replace: true });
    seeks.current = true;
  };
  const beside = parameter("beside") === "document" ? "document" : "try";
  return (
    <EditorProvider value={{ model: draft, choices, known, change }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its fields. */}
      <div class="workflow-editor" onKeyDown={(event) => onUndoKey(event, undo, redo)}>
        <Form act={act} live={live} dirty={dirty} label={words.editor}>
          {isBehind && theirs && (
            <div class="changed" role="alert">
              <strong>{words.theirsTitle}</strong>
              <p>
                {say(words.theirsBody, {
                  theirs: formatList(base.document ? changesInWords(base.document, theirs.document) : []),
                  mine: formatList(changes),
                })}
              </p>
              <div class="row">
                <Button small onClick={() => take(theirs)}>
                  {words.takeTheirs}
                </Button>
                <Button small onClick={() => setBase({ version: theirs.version, document: theirs.document })}>
                  {words.keepMine}
                </Button>
              </div>
            </div>
          )}
          <TextField
            label={words.name}
            pointer="/name"
            max={200}
            value={draft.facts.name}
            onValue={(name) => change((before) => ({ ...before, facts: { ...before.facts, name } }), "name")}
          />
          <section class="clause" aria-label={words.when}>
            <h2>{words.when}</h2>
            <div class="clause-body">
              <TriggerFields />
              <BurstSwitch />
            </div>
          </section>
          <section class="clause" aria-label={words.if}>
            <h2>{words.if}</h2>
            <div class="clause-body">
              <TriggerConditions />
            </div>
          </section>
          <section class="clause" aria-label={words.thenDo}>
            <h2>{words.thenDo}</h2>
            <div class="clause-body">
              <Steps onAdded={setFresh} />
            </div>
          </section>
          <div class="form-actions form-save editor-save">
            <Button type="submit" look="solid" busy={act.busy} disabled={!dirty || isBehind}>
              {messages.common.save}
            </Button>
            <Button small look="quiet" icon="undo-2" label={words.undo} disabled={!canUndo} onClick={undo} />
            <Button small look="quiet" icon="redo-2" label={words.redo} disabled={!canRedo} onClick={redo} />
            <p class="soft" role="status">
              {!dirty && stored ? words.unchanged : changes.length > 0 ? say(words.notSaved, { changes: formatList(changes) }) : ""}
              {dirty && stored?.enabled && <> {words.live}</>}
            </p>
            {(report?.faults.length ?? 0) > 0 ? (
              <button type="button" class="fault-count" onClick={showFirst}>
                {say(words.faults, { n: report?.faults.length ?? 0 })}
                <span class="hidden">. {words.firstFault}</span>
              </button>
            ) : (
              report && <span class="soft fault-none">{words.noFaults}</span>
            )}
          </div>
        </Form>
        <aside class="beside" aria-label={words.beside.label}>
          <div class="segments beside-tabs" role="group" aria-label={words.beside.label}>
            {(["try", "document"] as const).map((one) => (
              <Button
                key={one}
                small
                look="quiet"
                pressed={beside === one}
                onClick={() => setParameters({ beside: one === "try" ? null : one }, { replace: true })}
              >
                {words.beside[one]}
              </Button>
            ))}
          </div>
          <Try isWanted={beside === "try"} meanwhile={<Skeleton lines={4} />} id={stored?.id ?? null} document={document} report={report} />
          <DocumentText
            isWanted={beside === "document"}
            meanwhile={<Skeleton lines={8} />}
            document={document}
            onDocument={(next: WorkflowDocument) => change(() => modelOf(next), "document")}
          />
        </aside>
      </div>
    </EditorProvider>
  );
}

const BLANK: WorkflowDocument = { name: words.newName, trigger: { type: "submitted a form" }, conditions: [], steps: [] };

/** What was just added need not be complete yet: 0 stands for the whole of a new workflow's steps. */
const isFresh = (pointer: string, fresh: number | null, at: string | undefined) =>
  fresh === 0 ? pointer === "/steps" : at !== undefined && (pointer === at || pointer.startsWith(`${at}/`));

/** What is wrong with *document* and what it would start for, asked a moment after the last change. */
function useReport(document: WorkflowDocument) {
  const [asked, setAsked] = useState(document);
  const text = JSON.stringify(document);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(document), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return useAnswer("workflow.trigger_list", { draft: asked as unknown as Record<string, unknown> }).answer?.draft ?? null;
}

function onUndoKey(event: KeyboardEvent, undo: () => void, redo: () => void): void {
  const key = event.key.toLowerCase();
  // Within a field they are the browser's own.
  if (!(event.ctrlKey || event.metaKey) || event.altKey || (event.target as Element).closest("input, textarea, select")) return;
  if (key === "z" && !event.shiftKey) undo();
  else if (key === "y" || key === "z") redo();
  else return;
  event.preventDefault();
}
