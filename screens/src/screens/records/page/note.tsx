/** Where a note is written. What is typed stays in this browser, record by record, until it is saved. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { session } from "../../../house/boot";
import { useKeys } from "../../../house/keys";
import { faultAt } from "../../../house/problems";
import { toast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { recordPage } from "../../../messages/en/record_page";
import { Button } from "../../../parts/button";
import { ErrorBox } from "../../../parts/states";
import "../../../styles/record_page.css";

const words = recordPage.note;
const CLAIMED: ReadonlySet<string> = new Set(["/body"]);

/** A name of its own for each person: others may use this browser, too. */
const placeOf = (recordId: string): string => `svc-note-${session.peek()?.person.id}-${recordId}`;

function keep(recordId: string, text: string): void {
  if (text.trim()) localStorage.setItem(placeOf(recordId), text);
  else localStorage.removeItem(placeOf(recordId));
}

export function NoteField({ recordId, show }: { recordId: string; show: () => void }) {
  const [text, setText] = useState(() => localStorage.getItem(placeOf(recordId)) ?? "");
  const [isOpen, setOpen] = useState(text !== "");
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (next: string) => {
    setText(next);
    keep(recordId, next);
  };
  const act = useAct(async () => {
    const result = await write("note.create", { recordId, body: text.trim() });
    if (result.ok) {
      change("");
      setOpen(false);
      field.current?.blur();
      toast(words.saved);
    }
    return result;
  });
  const begin = () => {
    show();
    field.current?.focus();
    // On a phone it is behind a tab, and there once that is drawn.
    if (document.activeElement !== field.current) requestAnimationFrame(() => field.current?.focus());
  };
  useKeys([{ key: "n", label: words.write, run: begin }]);
  useEffect(() => {
    // As high as what is in it.
    const area = field.current;
    if (!area) return;
    area.style.blockSize = "auto";
    area.style.blockSize = `${area.scrollHeight + 2}px`;
  }, [text, isOpen]);
  const fault = faultAt(act.problem, "/body");
  return (
    <form
      class="note-field"
      aria-label={words.write}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void act.run();
      }}
    >
      <textarea
        ref={field}
        id="note"
        class="control"
        rows={isOpen ? 3 : 1}
        dir="auto"
        aria-label={words.label}
        aria-invalid={fault ? "true" : undefined}
        aria-describedby={fault ? "note-fault" : undefined}
        placeholder={isOpen ? words.placeholder : words.write}
        value={text}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(text !== "")}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && text.trim()) {
            event.preventDefault();
            void act.run();
          } else if (event.key === "Escape") {
            event.preventDefault();
            event.currentTarget.blur();
          }
        }}
      />
      {fault && (
        <p class="field-fault" id="note-fault">
          {fault}
        </p>
      )}
      <ErrorBox problem={act.problem} claimed={CLAIMED} />
      {isOpen && (
        <div class="note-foot">
          <span class="soft">{text.trim() && words.kept}</span>
          {text.trim() && (
            <Button look="quiet" small onClick={() => change("")}>
              {words.discard}
            </Button>
          )}
          <Button type="submit" look="solid" small busy={act.busy} disabled={!text.trim()}>
            {words.save} <kbd>{words.keys}</kbd>
          </Button>
        </div>
      )}
    </form>
  );
}
