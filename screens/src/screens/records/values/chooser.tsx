/** A value that is chosen: a choice or several, a record, a member. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { records as words } from "../../../messages/en/records";
import { recordsLater as later } from "../../../messages/en/records_later";
import { messages } from "../../../messages/messages";
import type { Option } from "../../../parts/combobox";
import { Icon } from "../../../parts/icon";
import { place } from "../../../parts/menu";
import { editingKeys, FieldFault, type Onward, type ValueFieldProps } from "./editing";
import { finderOf } from "./finding";
import type { Property, Shown } from "./properties";
import { ChoiceText } from "./value_text";
import { textOf } from "./writing";
import "../../../styles/values.css";

const PAUSE_MS = 150;
/** Takes the value away. */
const NONE: Option = { id: "", label: words.none };

/** A field that finds as one types, with the list below it. */
export function Chooser({ property, record, begin = "", fault = null, onSave, onCancel }: ValueFieldProps) {
  const id = useId();
  const isSeveral = property.type === "multi_select";
  const [text, setText] = useState(begin);
  const [options, setOptions] = useState<Option[] | null>(null);
  /** The text that the options fit. */
  const foundFor = useRef<string | null>(null);
  const [at, setAt] = useState(-1);
  const [chosen, setChosen] = useState(() => chosenOf(property, record));
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const isDone = useRef(false);
  const isWaiting = useRef(false);
  const hasValue = chosen.length > 0;
  const all = options && (hasValue && !isSeveral && text === "" ? [...options, NONE] : options);

  useLayoutEffect(() => {
    field.current?.focus();
    list.current?.showPopover();
  }, []);
  useEffect(() => {
    let isCurrent = true;
    const look = async () => {
      const found = (await finderOf(property)?.(text)) ?? [];
      if (!isCurrent) return;
      foundFor.current = text;
      setOptions(found);
      setAt(text ? 0 : found.findIndex((option) => option.id === chosen[0]?.id));
    };
    const timer = setTimeout(() => void look(), text === begin || !isRemote(property) ? 0 : PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  useLayoutEffect(() => {
    if (list.current && field.current) place(list.current, field.current);
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [options, at]);

  const finish = (now: readonly Option[], onward: Onward) => {
    if (isDone.current) return;
    isDone.current = true;
    const before = chosenOf(property, record);
    if (now.map((one) => one.id).join("\n") === before.map((one) => one.id).join("\n")) return onCancel();
    const ids = now.map((one) => one.id);
    const value = isSeveral ? ids : ids[0];
    onSave({ values: { [property.slug]: ids.length > 0 ? value : null }, texts: { [property.slug]: now[0]?.label ?? "" } }, onward);
  };
  const cancel = () => {
    isDone.current = true;
    onCancel();
  };
  const choose = (option: Option, onward: Onward) => {
    if (!isSeveral) return finish(option === NONE ? [] : [option], onward);
    const rest = chosen.filter((one) => one.id !== option.id);
    setChosen(rest.length < chosen.length ? rest : property.options.flatMap((id) => [...rest, option].filter((one) => one.id === id)));
    setText("");
    field.current?.focus();
  };
  /** Enter may come before what fits is there. */
  const saveWhenFound = async (onward: Onward) => {
    isWaiting.current = true;
    const [first] = (await finderOf(property)?.(text)) ?? [];
    isWaiting.current = false;
    if (first) choose(first, onward);
    else finish(chosen, onward);
  };
  const save = (onward: Onward) => {
    if (text !== "" && foundFor.current !== text && !isSeveral) return void saveWhenFound(onward);
    const option = all?.[at];
    if (option && !isSeveral && (text !== "" || option.id !== chosen[0]?.id)) choose(option, onward);
    else finish(chosen, onward);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const count = all?.length ?? 0;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      event.stopPropagation();
      if (count > 0) setAt(event.key === "ArrowDown" ? (at + 1) % count : (Math.max(at, 0) + count - 1) % count);
    } else if (isSeveral && event.key === "Enter" && !event.ctrlKey && !event.metaKey && all?.[at]) {
      event.preventDefault();
      event.stopPropagation();
      choose(all[at], "stay");
    } else editingKeys(event, { save, cancel });
  };
  return (
    <span class="value-field">
      {isSeveral && hasValue && (
        <span class="choices value-chosen">
          {chosen.map((one) => (
            <ChoiceText key={one.id} property={property} choice={one.label} />
          ))}
        </span>
      )}
      <input
        ref={field}
        class="control value-control"
        role="combobox"
        autoComplete="off"
        dir="auto"
        value={text}
        placeholder={isSeveral ? later.addChoice : chosen[0]?.label}
        aria-label={property.label}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={all?.[at] ? `${id}-${at}` : undefined}
        aria-invalid={fault ? "true" : undefined}
        aria-describedby={fault ? `${id}-fault` : undefined}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => isWaiting.current || finish(chosen, "stay")}
      />
      <ul
        popover="manual"
        ref={list}
        id={`${id}-list`}
        role="listbox"
        class="menu value-list"
        aria-label={property.label}
        aria-multiselectable={isSeveral || undefined}
      >
        {all?.length === 0 && <li class="soft combobox-none">{messages.combobox.nothing}</li>}
        {all?.map((option, index) => {
          const isChosen = chosen.some((one) => one.id === option.id);
          return (
            <li
              key={option.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              aria-checked={isSeveral ? isChosen : undefined}
              class="menu-item"
              onMouseMove={() => setAt(index)}
              onMouseDown={(event) => {
                event.preventDefault(); // The field keeps the focus.
                choose(option, "stay");
              }}
            >
              {option === NONE || !property.options.includes(option.id) ? (
                <bdi class={option === NONE ? "soft" : undefined}>{option.label}</bdi>
              ) : (
                <ChoiceText property={property} choice={option.label} />
              )}
              {option.note && <bdi class="soft">{option.note}</bdi>}
              {isChosen && <Icon name="check" />}
            </li>
          );
        })}
      </ul>
      {fault && <FieldFault id={`${id}-fault`} text={fault} />}
    </span>
  );
}

const isRemote = ({ type }: Property) => type === "relation" || type === "member";

/** What is chosen now, with its name. */
function chosenOf(property: Property, record: Shown): Option[] {
  const value = record.properties[property.slug];
  if (value === undefined || value === null || value === "") return [];
  if (Array.isArray(value)) return value.map((one) => ({ id: String(one), label: String(one) }));
  return [{ id: String(value), label: textOf(property, record) }];
}
