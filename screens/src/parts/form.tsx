/** A form: its fields say what is wrong with them by pointer, the rest stands on top, nothing typed is lost. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import type { Act } from "../house/acts";
import type { Problem } from "../house/problems";
import { watchUnsaved } from "../house/unsaved";
import { ErrorBox } from "./states";

interface FormState {
  problem: Problem | null;
  claimed: Set<string>;
}

const Context = createContext<FormState>({ problem: null, claimed: new Set() });

/** What the form around a field has come to; the field shows faults at *pointer* itself from now on. */
export function useFormProblem(pointer: string | undefined): Problem | null {
  const { problem, claimed } = useContext(Context);
  if (pointer !== undefined) claimed.add(pointer);
  useEffect(() => () => void (pointer !== undefined && claimed.delete(pointer)), [claimed, pointer]);
  return problem;
}

interface FormProps {
  act: Pick<Act<[], unknown>, "run" | "problem">;
  children: ComponentChildren;
  /** Whether it has work that would be lost by leaving; `typed`: as soon as something was typed or chosen in it. */
  dirty?: boolean | "typed";
  label?: string;
  /** What is wrong with it while one types: fields show it, and the focus stays. */
  live?: Problem | null;
}

export function Form({ act, children, dirty = false, label, live = null }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const claimed = useRef(new Set<string>()).current;
  const isTyped = useRef(false);
  const said = useRef(dirty);
  said.current = dirty;
  useEffect(() => watchUnsaved(() => (said.current === "typed" ? isTyped.current : said.current)), []);
  useEffect(() => {
    if (act.problem?.faults.length) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [act.problem]);
  return (
    <Context.Provider value={{ problem: act.problem ?? live, claimed }}>
      <form
        ref={form}
        class="form"
        aria-label={label}
        noValidate
        onInput={() => {
          isTyped.current = true;
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void act.run();
        }}
      >
        {/* After the fields, so that these have claimed their faults; shown on top by the style sheet. */}
        {children}
        <ErrorBox problem={act.problem} claimed={claimed} />
      </form>
    </Context.Provider>
  );
}
