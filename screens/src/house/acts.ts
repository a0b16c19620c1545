/** What a person does: one at a time, with its problem kept until the next try. */
import { useRef, useState } from "preact/hooks";
import { ownProblem, type Problem, type Result } from "./problems";

export interface Act<A extends unknown[], T> {
  run: (...args: A) => Promise<T | undefined>;
  busy: boolean;
  problem: Problem | null;
  forget: () => void;
}

/** Run *act* on demand; a second run while one is under way (a double click) does nothing. */
export function useAct<A extends unknown[], T>(act: (...args: A) => Promise<Result<T>>): Act<A, T> {
  const [state, setState] = useState<{ busy: boolean; problem: Problem | null }>({ busy: false, problem: null });
  const busy = useRef(false);
  const run = async (...args: A): Promise<T | undefined> => {
    if (busy.current) return undefined;
    busy.current = true;
    setState({ busy: true, problem: null });
    let result: Result<T>;
    try {
      result = await act(...args);
    } catch (error) {
      result = { ok: false, problem: ownProblem("no_answer", String(error)) };
    }
    busy.current = false;
    setState({ busy: false, problem: result.ok ? null : result.problem });
    return result.ok ? result.answer : undefined;
  };
  return { run, ...state, forget: () => setState({ busy: false, problem: null }) };
}
