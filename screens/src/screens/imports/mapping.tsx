/** What the columns of an uploaded file are for, and how it is read: tried first, then imported. */
import { useEffect, useRef } from "preact/hooks";
import type { Act } from "../../house/acts";
import { parameter, setParameters } from "../../house/address";
import type { Problem } from "../../house/problems";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { RadioField, SelectField, SwitchField } from "../../parts/field";
import { Form } from "../../parts/form";
import { Columns } from "./column_rows";
import { byOf, decimalOf, type Edits, editsAsRead, missingOf, NO_EDITS, readingOf, relatedTo, samplesOf, waysToFind } from "./columns";
import { isUnclearDate, type NewProperties } from "./new_properties";
import { CancelButton, linesOf } from "./outcome";
import { inSentence, sentence } from "./phrases";
import type { Import } from "./upload";
import "../../styles/imports.css";

const said = words.map;

export interface MappingProps {
  object: Answer<"object.get">;
  import: Import;
  edits: Edits;
  onEdits: (edits: Edits) => void;
  /** Columns that become new properties. */
  wanted: NewProperties;
  onWanted: (wanted: NewProperties) => void;
  start: Act<[dryRun: boolean], unknown>;
  /** Why the file cannot be read as it was chosen to be written. */
  unread: Problem | null;
}

const ENCODINGS = ["utf-8", "windows-1252", "utf-16-le", "utf-16-be"] as const;
const SEPARATORS = [",", ";", "\t", "|"] as const;

export function Mapping({ object, import: import_, edits, onEdits, wanted, onWanted, start, unread }: MappingProps) {
  const by = byOf(object, import_, edits);
  const isTouched = edits !== NO_EDITS;
  const wasTried = import_.state === "checked";
  const isTried = wasTried && !isTouched;
  const run = async () => {
    const isSure = isTried || (await ask({ title: said.askTitle, body: said.askBody, confirm: said.import }));
    if (isSure) void start.run(false);
  };
  // Of a new property it is asked before that is made.
  const isUnclear = Object.entries(wanted).some(
    ([heading, { type }]) => (type === "date" || type === "datetime") && isUnclearDate(samplesOf(import_, heading)),
  );
  // What was tried is no longer what would be done.
  const touch = () => onEdits({ ...edits });
  const hints: Partial<Record<string, string>> = { "": said.byHint.none, id: said.byHint.id, match: said.byHint.match };
  return (
    <Form
      act={{ problem: unread ?? start.problem, run: async () => (isTried ? run() : start.run(true)) }}
      dirty={isTouched}
      label={said.columns}
    >
      {import_.format === "csv" && <Writing import={import_} edits={edits} onEdits={onEdits} />}
      {import_.format === "ndjson" ? (
        <p class="soft">{said.json}</p>
      ) : (
        <Columns object={object} import={import_} edits={edits} onEdits={onEdits} wanted={wanted} onWanted={onWanted} by={by} />
      )}
      <SelectField
        label={said.by}
        pointer="/by"
        hint={hints[by] ?? said.byHint.property}
        value={by}
        onValue={(value) => onEdits({ ...edits, by: value })}
        choices={waysToFind(object)}
      />
      <Missing related={relatedTo(object, import_, edits)} import={import_} onChange={touch} />
      <RadioField
        label={said.badCells}
        hint={said.badCellsHint}
        value={parameter("bad") === "empty" ? "empty" : "refuse"}
        onValue={(value) => {
          setParameters({ bad: value === "empty" ? value : null }, { replace: true });
          touch();
        }}
        choices={[
          { value: "refuse", label: said.badRefuse },
          { value: "empty", label: said.badEmpty },
        ]}
      />
      <RadioField
        label={said.emptyCells}
        value={parameter("empty") === "clear" ? "clear" : "keep"}
        onValue={(value) => {
          setParameters({ empty: value === "clear" ? value : null }, { replace: true });
          touch();
        }}
        choices={[
          { value: "keep", label: said.keep },
          { value: "clear", label: said.clear },
        ]}
      />
      {import_.format === "csv" && <Dates isUnclear={isUnclear} problem={start.problem} onChange={touch} />}
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

/** Of which objects what is missing is made: how many there are is known after a try. */
function Missing({ related, import: import_, onChange }: { related: readonly string[]; import: Import; onChange: () => void }) {
  const objects = useAnswer("object.list", {}).answer?.objects ?? [];
  const chosen = missingOf(related, parameter("missing"));
  const n = related.length === 1 && chosen.length === 1 ? import_.counts.made : 0;
  const labelOf = (slug: string) => {
    const object = objects.find((one) => one.slug === slug);
    return inSentence((n === 1 ? object?.label : object?.labelPlural) ?? slug);
  };
  return (
    <>
      {related.map((slug) => (
        <SwitchField
          key={slug}
          label={n > 0 ? say(said.missingCount, { n, objects: labelOf(slug) }) : say(said.missing, { objects: labelOf(slug) })}
          hint={said.missingHint}
          on={chosen.includes(slug)}
          onValue={(on) => {
            const wanted = related.filter((one) => (one === slug ? on : chosen.includes(one)));
            setParameters({ missing: wanted.join(",") || "none" }, { replace: true });
            onChange();
          }}
        />
      ))}
    </>
  );
}

const ORDERS = ["dmy", "mdy", "ymd"] as const;

/** The order of day, month and year: asked for where the file does not tell it. */
function Dates({ isUnclear, problem, onChange }: { isUnclear: boolean; problem: Problem | null; onChange: () => void }) {
  const asked = problem?.faults.find(({ pointer }) => pointer === "/dates");
  const chosen = parameter("dates") ?? "";
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A form gives the focus to a field that is wrong: this one appears with its fault.
    if (asked) field.current?.querySelector("input")?.focus();
  }, [asked]);
  if (!asked && !chosen && !isUnclear) return null;
  return (
    <div ref={field}>
      <RadioField<string>
        label={said.dates}
        pointer="/dates"
        fault={asked && !chosen ? sentence(asked.detail) : null}
        value={chosen}
        onValue={(dates) => {
          setParameters({ dates }, { replace: true });
          onChange();
        }}
        choices={ORDERS.map((value) => ({ value, label: said.datesChoices[value] }))}
      />
    </div>
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
