/** What the columns of an uploaded file are for, and how it is read: tried first, then imported. */
import { useState } from "preact/hooks";
import type { Act } from "../../house/acts";
import { parameter, setParameters } from "../../house/address";
import { faultAt, type Problem } from "../../house/problems";
import type { Answer } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { type Choice, RadioField, SelectField } from "../../parts/field";
import { Form, useFormProblem } from "../../parts/form";
import { Icon } from "../../parts/icon";
import { Foreign } from "../../parts/texts";
import { byOf, decimalOf, type Edits, editsAsRead, NO_EDITS, readingOf, targetOf, targets, waysToFind } from "./columns";
import { CancelButton, linesOf } from "./outcome";
import type { Import } from "./upload";

const SHOWN_MAX = 100;
const SAMPLES = 3;
const said = words.map;

interface MappingProps {
  object: Answer<"object.get">;
  import: Import;
  edits: Edits;
  onEdits: (edits: Edits) => void;
  start: Act<[dryRun: boolean], unknown>;
  /** Why the file cannot be read as it was chosen to be written. */
  unread: Problem | null;
}

const ENCODINGS = ["utf-8", "windows-1252", "utf-16-le", "utf-16-be"] as const;
const SEPARATORS = [",", ";", "\t", "|"] as const;

export function Mapping({ object, import: import_, edits, onEdits, start, unread }: MappingProps) {
  const by = byOf(object, import_, edits);
  const isTouched = edits !== NO_EDITS;
  const wasTried = import_.state === "checked";
  const isTried = wasTried && !isTouched;
  const run = async () => {
    const isSure = isTried || (await ask({ title: said.askTitle, body: said.askBody, confirm: said.import }));
    if (isSure) void start.run(false);
  };
  const hints: Partial<Record<string, string>> = { "": said.byHint.none, id: said.byHint.id, match: said.byHint.match };
  return (
    <Form act={{ problem: unread ?? start.problem, run: async () => (isTried ? run() : start.run(true)) }} dirty={isTouched} label={said.columns}>
      {import_.format === "csv" && <Writing import={import_} edits={edits} onEdits={onEdits} />}
      {import_.format === "ndjson" ? <p class="soft">{said.json}</p> : <Columns object={object} import={import_} edits={edits} onEdits={onEdits} by={by} />}
      <SelectField label={said.by} pointer="/by" hint={hints[by] ?? said.byHint.property} value={by} onValue={(value) => onEdits({ ...edits, by: value })} choices={waysToFind(object)} />
      <RadioField
        label={said.emptyCells}
        value={parameter("empty") === "clear" ? "clear" : "keep"}
        onValue={(value) => {
          setParameters({ empty: value === "clear" ? value : null }, { replace: true });
          onEdits({ ...edits }); // What was tried is no longer what would be done.
        }}
        choices={[
          { value: "keep", label: said.keep },
          { value: "clear", label: said.clear },
        ]}
      />
      {import_.format === "csv" && (
        <RadioField
          label={said.decimal}
          pointer="/decimal"
          value={decimalOf(import_, edits)}
          onValue={(decimal) => onEdits({ ...edits, decimal })}
          choices={[
            { value: ".", label: said.points },
            { value: ",", label: said.commas },
          ]}
        />
      )}
      <div class="form-actions form-save">
        <Button
          type={isTried ? "button" : "submit"}
          look={isTried ? "plain" : "solid"}
          busy={start.busy}
          {...(isTried && { onClick: () => void start.run(true) })}
        >
          {wasTried ? said.tryAgain : said.try}
        </Button>
        <Button
          type={isTried ? "submit" : "button"}
          look={isTried ? "solid" : "plain"}
          busy={start.busy}
          {...(!isTried && { onClick: () => void run() })}
        >
          {isTried ? say(said.importLines, { n: linesOf(import_) - import_.counts.refused }) : said.import}
        </Button>
        <CancelButton of={import_} />
        {wasTried && !isTried && <p class="soft">{said.changed}</p>}
      </div>
    </Form>
  );
}

/** How the file is written: found out, or chosen; what it says follows at once. */
function Writing({ import: import_, edits, onEdits }: Pick<MappingProps, "import" | "edits" | "onEdits">) {
  const reading = readingOf(import_, edits);
  return (
    <div class="import-writing">
      <SelectField
        label={said.separator}
        pointer="/separator"
        value={reading.separator}
        onValue={(separator) => onEdits(editsAsRead(edits, { ...reading, separator }))}
        choices={SEPARATORS.map((value) => ({ value, label: said.separators[value] }))}
      />
      <SelectField
        label={said.encoding}
        pointer="/encoding"
        value={reading.encoding}
        onValue={(encoding) => onEdits(editsAsRead(edits, { ...reading, encoding }))}
        choices={ENCODINGS.map((value) => ({ value, label: said.encodings[value] }))}
      />
    </div>
  );
}

function Columns({ object, import: import_, edits, onEdits, by }: Omit<MappingProps, "start" | "unread"> & { by: string }) {
  const [isWhole, setWhole] = useState(import_.headings.length <= SHOWN_MAX);
  const choices = targets(object, by);
  const problem = useFormProblem("/columns");
  const faults = problem?.faults.filter(({ pointer }) => pointer === "/columns") ?? [];
  const shown = isWhole || problem?.faults.length ? import_.headings : import_.headings.slice(0, SHOWN_MAX);
  return (
    <fieldset class="field import-columns">
      <legend class="hidden">{said.columns}</legend>
      {faults.map(({ detail }) => (
        <p key={detail} class="field-fault">
          {detail}
        </p>
      ))}
      {shown.map((heading, at) => (
        <ColumnRow
          key={heading}
          heading={heading}
          samples={import_.sample.map((cells) => cells[at] ?? "").filter(Boolean).slice(0, SAMPLES)}
          target={targetOf(import_, edits, heading)}
          choices={choices}
          onTarget={(target) => onEdits({ ...edits, columns: { ...edits.columns, [heading]: target } })}
        />
      ))}
      {shown.length < import_.headings.length && (
        <div>
          <Button small onClick={() => setWhole(true)}>
            {say(said.all, { n: import_.headings.length })}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface RowProps {
  heading: string;
  samples: readonly string[];
  target: string;
  choices: readonly Choice<string>[];
  onTarget: (target: string) => void;
}

function ColumnRow({ heading, samples, target, choices, onTarget }: RowProps) {
  const pointer = `/columns/${heading.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const fault = faultAt(useFormProblem(pointer), pointer);
  const shown = choices.some(({ value }) => value === target) ? target : "";
  return (
    <div class="import-column" data-out={shown === "" || undefined}>
      <div>
        <strong>
          <Foreign>{heading}</Foreign>
        </strong>
        {samples.map((sample, at) => (
          <span key={at} class="soft">
            <Foreign>{sample}</Foreign>
          </span>
        ))}
      </div>
      <Icon name="chevron-right" />
      <div class="select">
        <select
          class="control"
          aria-label={say(said.of, { heading })}
          value={shown}
          aria-invalid={fault ? "true" : undefined}
          onChange={(event) => onTarget(event.currentTarget.value)}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value} selected={value === shown}>
              {label}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </div>
      {fault && <p class="field-fault">{fault}</p>}
    </div>
  );
}
