/** Dialogs: the browser's own `dialog`, which keeps the focus in and gives it back. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../house/acts";
import type { Result } from "../house/problems";
import { messages, say } from "../messages/messages";
import { Button } from "./button";
import { TextField } from "./field";
import { Form } from "./form";

interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  wide?: boolean;
  /** Of the palette: it stays where it is while its list grows, and on a phone it is the whole screen. */
  look?: "palette";
  /** The title is only heard: what is in it says the same. */
  bare?: boolean;
  /** Esc and a click beside it do nothing: there is something in it that is shown once. */
  stays?: boolean;
}

export function Dialog({ title, children, onClose, wide = false, look, bare = false, stays = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  // Before the next key arrives: one that types fast loses no letter.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    // Not the Close button, which comes first.
    if (!dialog.current?.querySelector("[autofocus]")) heading.current?.focus();
    return () => before?.isConnected && before.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={["dialog", wide && "dialog-wide", look && `dialog-${look}`].filter(Boolean).join(" ")}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!stays) onClose();
      }}
      onMouseDown={(event) => {
        if (!stays && event.target === dialog.current) onClose();
      }}
    >
      <div class="dialog-body">
        <header class={bare ? "hidden" : undefined}>
          <h2 id={id} tabIndex={-1} ref={heading}>
            {title}
          </h2>
          {!stays && !bare && <Button look="quiet" icon="x" label={messages.common.close} onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface Question {
  title: string;
  body: ComponentChildren;
  confirm: string;
  cancel?: string;
  danger?: boolean;
  /** What has to be typed first: for what cannot be taken back. */
  name?: string;
  /** Done while the dialog is open; a refusal is shown in it. */
  act?: () => Promise<Result<unknown>>;
}

const questions = signal<(Question & { answer: (yes: boolean) => void })[]>([]);

/** Ask a question over the page; true once it was confirmed, and its act done. */
export function ask(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = {
      ...question,
      answer: (yes: boolean) => {
        questions.value = questions.value.filter((open) => open !== asked);
        resolve(yes);
      },
    };
    questions.value = [...questions.value, asked];
  });
}

/** Shows what `ask` asks; the frame has one. */
export function Questions() {
  return (
    <>
      {questions.value.map((question) => (
        <QuestionDialog key={question.title} question={question} />
      ))}
    </>
  );
}

function QuestionDialog({ question }: { question: Question & { answer: (yes: boolean) => void } }) {
  const [typed, setTyped] = useState("");
  const { answer, name } = question;
  const act = useAct(async (): Promise<Result<true>> => {
    const result = await question.act?.();
    if (result && !result.ok) return result;
    answer(true);
    return { ok: true, answer: true };
  });
  const mayGo = name === undefined || typed.trim() === name.trim();
  return (
    <Dialog title={question.title} onClose={() => answer(false)}>
      <Form act={{ ...act, run: async () => (mayGo ? act.run() : undefined) }}>
        <div class="prose">{question.body}</div>
        {name !== undefined && (
          <TextField label={say(messages.dialogs.typeName, { name: `“${name}”` })} value={typed} onValue={setTyped} autoFocus />
        )}
        <footer>
          <Button onClick={() => answer(false)}>{question.cancel ?? messages.common.cancel}</Button>
          <Button
            type="submit"
            look={question.danger ? "danger" : "solid"}
            busy={act.busy}
            disabled={!mayGo}
            autoFocus={name === undefined}
          >
            {question.confirm}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
