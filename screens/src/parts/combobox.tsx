/** A field that finds as one types: what is chosen has an id, what is shown is found by the caller. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { faultAt } from "../house/problems";
import { messages } from "../messages/messages";
import { useFormProblem } from "./form";

export interface Option {
  id: string;
  label: string;
  /** A second line: an e-mail address, a domain. */
  note?: string;
}

interface ComboboxProps {
  label: string;
  hint?: string;
  pointer?: string;
  value: Option | null;
  onValue: (value: Option | null) => void;
  /** Those that fit *text*; an empty text lists the first. */
  find: (text: string) => Promise<Option[]> | Option[];
  placeholder?: string;
}

const PAUSE_MS = 150;

export function Combobox({ label, hint, pointer, value, onValue, find, placeholder }: ComboboxProps) {
  const id = useId();
  const [text, setText] = useState(value?.label ?? "");
  const [options, setOptions] = useState<Option[] | null>(null);
  const [at, setAt] = useState(0);
  const asked = useRef(0);
  const timer = useRef(0);
  const problem = useFormProblem(pointer);
  const fault = pointer === undefined ? null : faultAt(problem, pointer);
  useEffect(() => setText(value?.label ?? ""), [value?.id]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const look = (typed: string, pause = PAUSE_MS) => {
    clearTimeout(timer.current);
    asked.current += 1;
    const mine = asked.current;
    timer.current = window.setTimeout(async () => {
      const found = await find(typed);
      if (mine !== asked.current) return; // Another text was typed meanwhile.
      setOptions(found);
      setAt(0);
    }, pause);
  };
  const close = () => {
    asked.current += 1;
    clearTimeout(timer.current);
    setOptions(null);
    setText(value?.label ?? "");
  };
  const choose = (option: Option) => {
    asked.current += 1;
    setOptions(null);
    setText(option.label);
    onValue(option);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const count = options?.length ?? 0;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (options === null) look(text, 0);
      else if (count > 0) setAt((at + (event.key === "ArrowDown" ? 1 : count - 1)) % count);
    } else if (event.key === "Enter" && options !== null) {
      event.preventDefault();
      const option = options[at];
      if (option) choose(option);
    } else if (event.key === "Escape" && options !== null) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  return (
    <div class="field combobox">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="control"
        role="combobox"
        autoComplete="off"
        dir="auto"
        value={text}
        placeholder={placeholder}
        aria-expanded={options !== null}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={options?.[at] ? `${id}-${at}` : undefined}
        aria-invalid={fault ? "true" : undefined}
        aria-describedby={fault ? `${id}-fault` : hint ? `${id}-hint` : undefined}
        onFocus={() => look("", 0)}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          if (typed === "") onValue(null);
          look(typed);
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      {options !== null && (
        <ul id={`${id}-list`} role="listbox" class="menu combobox-list" aria-label={label}>
          {options.length === 0 && <li class="soft combobox-none">{messages.combobox.nothing}</li>}
          {options.map((option, index) => (
            <li
              key={option.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              class="menu-item"
              onMouseDown={(event) => {
                event.preventDefault(); // The field keeps the focus.
                choose(option);
              }}
            >
              <bdi>{option.label}</bdi>
              {option.note && <bdi class="soft">{option.note}</bdi>}
            </li>
          ))}
        </ul>
      )}
      {fault && (
        <p class="field-fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
