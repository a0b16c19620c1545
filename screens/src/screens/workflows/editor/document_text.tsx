/** The document as JSON beside the sentences: each follows the other. */
import { useEffect, useRef, useState } from "preact/hooks";
import { workflows as words } from "../../../messages/en/workflows";
import { say } from "../../../messages/messages";
import { isSame, type WorkflowDocument } from "../model";
import "../../../styles/workflows.css";

interface DocumentTextProps {
  document: WorkflowDocument;
  onDocument: (document: WorkflowDocument) => void;
}

export function DocumentText({ document, onDocument }: DocumentTextProps) {
  const [text, setText] = useState(() => written(document));
  const [fault, setFault] = useState<string | null>(null);
  const own = useRef(document);
  useEffect(() => {
    if (isSame(own.current, document)) return; // What was typed here stays as it was typed.
    own.current = document;
    setText(written(document));
    setFault(null);
  }, [document]);
  return (
    <div class="field document-text">
      <label for="document-text">{words.document}</label>
      <textarea
        id="document-text"
        class="control mono"
        rows={28}
        spellcheck={false}
        aria-invalid={fault ? "true" : undefined}
        value={text}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          const read = documentIn(typed);
          setFault(typeof read === "string" ? read : null);
          if (typeof read === "string") return;
          own.current = read;
          onDocument(read);
        }}
      />
      {fault && <p class="field-fault">{say(words.badDocument, { why: fault })}</p>}
    </div>
  );
}

const written = (document: WorkflowDocument) => JSON.stringify(document, null, 2);

/** The document in *text*, or why it is none that can be shown: all else is for the service to judge. */
export function documentIn(text: string): WorkflowDocument | string {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (!isObject(read)) return words.documentObject;
  if (!isObject(read.trigger) || typeof read.trigger.type !== "string") return words.documentTrigger;
  if (!areSteps(read.steps)) return words.documentSteps;
  return { name: "", ...read } as unknown as WorkflowDocument; // The service says what else is wrong.
}

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === "object" && !Array.isArray(value);

function areSteps(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every(
    (step: unknown) =>
      isObject(step) &&
      typeof step.key === "string" &&
      typeof step.type === "string" &&
      ["then", "else"].every((name) => step[name] === undefined || areSteps(step[name])),
  );
}
