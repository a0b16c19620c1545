/** Fields of forms: label, hint, the fault at their pointer, and the browser's own controls. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { faultAt } from "../house/problems";
import { messages, say } from "../messages/messages";
import { Button } from "./button";
import { useFormProblem } from "./form";
import { Icon } from "./icon";

interface Common {
  label: string;
  hint?: ComponentChildren;
  /** Where the field's value stands in what is asked: `/name`. */
  pointer?: string;
  /** A fault that the screen itself found. */
  fault?: string | null;
  optional?: boolean;
  disabled?: boolean;
}

interface Wired {
  id: string;
  fault: string | null;
  aria: { "aria-invalid"?: "true"; "aria-describedby"?: string };
}

function useWired({ pointer, fault, hint }: Common): Wired {
  const id = useId();
  const problem = useFormProblem(pointer);
  const found = fault ?? (pointer === undefined ? null : faultAt(problem, pointer));
  const described = [hint && `${id}-hint`, found && `${id}-fault`].filter(Boolean).join(" ");
  return { id, fault: found, aria: { ...(found && { "aria-invalid": "true" }), ...(described && { "aria-describedby": described }) } };
}

/** Label above, control, fault and hint below: what every field looks like. */
function Frame({ field, wired, children }: { field: Common; wired: Wired; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={wired.id}>
        {field.label}
        {field.optional && <span class="soft"> ({messages.common.optional})</span>}
      </label>
      {children}
      <Said field={field} wired={wired} />
    </div>
  );
}

/** What is wrong with a field, and its hint. */
function Said({ field: { hint }, wired: { id, fault } }: { field: Common; wired: Wired }) {
  return (
    <>
      {fault && (
        <p class="field-fault" id={`${id}-fault`}>
          <Icon name="circle-alert" size={14} /> {fault}
        </p>
      )}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </>
  );
}

interface TextProps extends Common {
  value: string;
  onValue: (value: string) => void;
  type?: "text" | "email" | "search" | "url" | "number" | "datetime-local";
  autoComplete?: "username" | "name" | "organization";
  autoFocus?: boolean;
  placeholder?: string;
  max?: number;
  /** More than one line. */
  lines?: number;
  mono?: boolean;
  onBlur?: () => void;
}

export function TextField(props: TextProps) {
  const wired = useWired(props);
  const { value, onValue, type = "text", lines, max, mono } = props;
  const shared = {
    id: wired.id,
    value,
    class: mono ? "control mono" : "control",
    dir: "auto" as const,
    disabled: props.disabled,
    placeholder: props.placeholder,
    autoFocus: props.autoFocus,
    onBlur: props.onBlur,
    ...wired.aria,
  };
  return (
    <Frame field={props} wired={wired}>
      {lines ? (
        <textarea {...shared} rows={lines} onInput={(event) => onValue(event.currentTarget.value)} />
      ) : (
        <input
          {...shared}
          type={type as "text"}
          autoComplete={props.autoComplete ?? "off"}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
      {max !== undefined && value.length > max * 0.8 && (
        <p class="field-count" data-over={value.length > max}>
          {say(messages.common.characters, { n: value.length, most: max })}
        </p>
      )}
    </Frame>
  );
}

interface PasswordProps extends Common {
  value: string;
  onValue: (value: string) => void;
  autoComplete: "current-password" | "new-password";
  autoFocus?: boolean;
}

/** A password, which may be looked at while it is typed. */
export function PasswordField(props: PasswordProps) {
  const wired = useWired(props);
  const [shown, setShown] = useState(false);
  return (
    <Frame field={props} wired={wired}>
      <div class="control-with">
        <input
          id={wired.id}
          class="control"
          type={(shown ? "text" : "password") as "password"}
          value={props.value}
          autoComplete={props.autoComplete}
          autoFocus={props.autoFocus}
          onInput={(event) => props.onValue(event.currentTarget.value)}
          {...wired.aria}
        />
        <Button
          look="quiet"
          icon={shown ? "eye-off" : "eye"}
          label={shown ? messages.common.hidePassword : messages.common.showPassword}
          onClick={() => setShown(!shown)}
        />
      </div>
    </Frame>
  );
}

export interface Choice<V extends string> {
  value: V;
  label: string;
  disabled?: boolean;
}

interface ChoiceProps<V extends string> extends Common {
  value: V;
  onValue: (value: V) => void;
  choices: readonly Choice<V>[];
}

export function SelectField<V extends string>(props: ChoiceProps<V>) {
  const wired = useWired(props);
  return (
    <Frame field={props} wired={wired}>
      <div class="select">
        <select
          id={wired.id}
          class="control"
          value={props.value}
          disabled={props.disabled}
          onChange={(event) => props.onValue(event.currentTarget.value as V)}
          {...wired.aria}
        >
          {props.choices.map((choice) => (
            <option key={choice.value} value={choice.value} disabled={choice.disabled} selected={choice.value === props.value}>
              {choice.label}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </div>
    </Frame>
  );
}

interface SwitchProps extends Common {
  on: boolean;
  onValue: (on: boolean) => void;
}

/** Something that is on or off; the label stands beside it. */
export function SwitchField(props: SwitchProps) {
  const wired = useWired(props);
  return (
    <div class="field field-switch">
      <input
        id={wired.id}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells its state by itself.
        role="switch"
        class="switch"
        checked={props.on}
        disabled={props.disabled}
        onChange={(event) => props.onValue(event.currentTarget.checked)}
        {...wired.aria}
      />
      <div>
        <label for={wired.id}>{props.label}</label>
        <Said field={props} wired={wired} />
      </div>
    </div>
  );
}

/** A few choices side by side, of which one counts. */
export function RadioField<V extends string>(props: ChoiceProps<V>) {
  const wired = useWired(props);
  return (
    <fieldset class="field" aria-describedby={wired.aria["aria-describedby"]}>
      <legend>{props.label}</legend>
      <div class="segments">
        {props.choices.map((choice) => (
          <label key={choice.value}>
            <input
              type="radio"
              name={wired.id}
              value={choice.value}
              checked={choice.value === props.value}
              disabled={props.disabled ?? choice.disabled}
              onChange={() => props.onValue(choice.value)}
            />
            <span>{choice.label}</span>
          </label>
        ))}
      </div>
      <Said field={props} wired={wired} />
    </fieldset>
  );
}
