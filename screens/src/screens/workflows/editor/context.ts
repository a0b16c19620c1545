/** What all fields of the editor work with. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Choices } from "../known";
import type { Model } from "../model";
import type { Known } from "../scope";

export interface EditorState {
  model: Model;
  choices: Choices;
  known: Known;
  /** *what* is the same while one thing is typed in; empty for a step of its own. */
  change: (made: (model: Model) => Model, what?: string) => void;
}

const Context = createContext<EditorState | null>(null);
export const EditorProvider = Context.Provider;

export function useEditor(): EditorState {
  const state = useContext(Context);
  if (state === null) throw new Error("no editor around");
  return state;
}
