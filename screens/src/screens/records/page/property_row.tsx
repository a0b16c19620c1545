/** One property of a record: its value, the control that changes it, and what came between. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../../house/problems";
import { faultAt } from "../../../house/problems";
import { queryOf } from "../../../house/queries";
import { write } from "../../../house/tools";
import { watchUnsaved } from "../../../house/unsaved";
import { recordPage } from "../../../messages/en/record_page";
import { say } from "../../../messages/messages";
import { Clashes } from "../../../parts/clashes";
import { later } from "../../../parts/later";
import { ErrorBox } from "../../../parts/states";
import { Foreign } from "../../../parts/texts";
import type { Onward } from "../values/editing";
import type { Change, Property, Shown } from "../values/properties";
import { ValueText } from "../values/value_text";
import { textOf, typedText } from "../values/writing";
import { recordQuestion } from "./question";
import type { RecordDetails } from "./shapes";
import { Upload } from "./upload";
import "../../../styles/record_page.css";
import "../../../styles/values.css";

const words = recordPage.details;
/** To change a value takes more than to show it. */
const ValueField = later(async () => (await import("../values/value_field")).ValueField);

interface RowProps {
  property: Property;
  record: RecordDetails;
  mayChange: boolean;
  isOpen: boolean;
  onOpen: () => void;
  onDone: (onward: Onward) => void;
}

/** A change that was refused: the control stands there again, with what was typed. */
interface Refusal {
  change: Change;
  problem: Problem;
}

export function PropertyRow(props: RowProps) {
  const { property, record, mayChange, isOpen, onOpen, onDone } = props;
  const { slug, label } = property;
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [said, setSaid] = useState("");
  // What is typed before the control is there, and the key that ended it.
  const [early, setEarly] = useState("");
  const earlyKey = useRef<string | null>(null);
  // What the control was opened on: a colleague's change meanwhile is no reason to store it again.
  const from = useRef<RecordDetails>(record);
  const wasOpen = useRef(false);
  if (isOpen && !wasOpen.current) from.current = record;
  if (!isOpen && early) setEarly("");
  wasOpen.current = isOpen;
  useEffect(() => watchUnsaved(() => refusal !== null), [refusal]);

  const store = async (change: Change, version: number) => {
    const query = queryOf("record.get", recordQuestion(record));
    const back = query.expect((answer) => changed(answer, change));
    const result = await write("record.update", { id: record.id, properties: { ...change.values }, ifVersion: version });
    if (result.ok) {
      setRefusal(null);
      setSaid(say(words.stored, { property: label }));
      return;
    }
    back();
    setRefusal({ change, problem: result.problem });
    if (result.problem.conflicts.length === 0) onOpen();
    else await query.again();
  };
  const save = (change: Change, onward: Onward) => {
    setRefusal(null);
    setSaid("");
    onDone(onward);
    void store(change, from.current.version);
  };
  const cancel = () => {
    setRefusal(null);
    onDone("down");
  };
  const isClash = refusal !== null && refusal.problem.conflicts.length > 0;
  return (
    <div class="property" data-open={isOpen || undefined}>
      <dt>
        <Foreign>{label}</Foreign>
      </dt>
      <dd>
        <ValueField
          key={refusal ? "again" : "first"}
          isWanted={isOpen}
          meanwhile={
            <Early
              label={label}
              onTyped={setEarly}
              onKey={(key) => {
                earlyKey.current = key;
              }}
            />
          }
          onThere={() => {
            const key = earlyKey.current;
            earlyKey.current = null;
            if (key) document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
          }}
          property={property}
          record={from.current}
          begin={refusal ? typedText(property, { properties: refusal.change.values, texts: refusal.change.texts }) : early || undefined}
          fault={refusal && !isClash ? faultOf(refusal.problem, slug) : null}
          onSave={save}
          onCancel={cancel}
        />
        {!isOpen && <Value {...props} />}
        {property.type === "picture" && mayChange && (
          <Upload onUploaded={(fileId) => void store({ values: { [slug]: fileId }, texts: {} }, record.version)} />
        )}
        {isClash && <Clash {...props} refusal={refusal} settle={setRefusal} store={store} />}
        {refusal && !isClash && !isOpen && <ErrorBox problem={refusal.problem} />}
        <span class="hidden" role="status">
          {said}
        </span>
      </dd>
    </div>
  );
}

interface EarlyProps {
  label: string;
  onTyped: (text: string) => void;
  onKey: (key: string) => void;
}

/** Takes the keys until the control is there, which gets them then: they are none of the page's. */
function Early({ label, onTyped, onKey }: EarlyProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <input
      ref={field}
      class="control value-control"
      aria-label={label}
      autoComplete="off"
      onInput={({ currentTarget }) => onTyped(currentTarget.value)}
      onKeyDown={(event) => {
        if (!["Enter", "Tab", "Escape"].includes(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
        onKey(event.key);
      }}
    />
  );
}

/** What is said at the control: the fault of the value, else the problem as a whole. */
const faultOf = (problem: Problem, slug: string): string => faultAt(problem, `/properties/${slug}`) ?? problem.detail ?? problem.title;

function changed(answer: RecordDetails, { values, texts }: Change): RecordDetails {
  const properties = Object.fromEntries(Object.entries({ ...answer.properties, ...values }).filter(([, value]) => value !== null));
  return { ...answer, properties, texts: { ...answer.texts, ...texts } };
}

function Value({ property, record, mayChange, onOpen }: RowProps) {
  const isEmpty = textOf(property, record) === "";
  return (
    <div class="property-value">
      {mayChange && (
        <button
          type="button"
          id={`edit-${property.slug}`}
          class="property-edit"
          aria-label={say(words.edit, { property: property.label })}
          onClick={onOpen}
        />
      )}
      {isEmpty ? (
        <span class="soft">{mayChange ? words.empty : words.emptyNoRight}</span>
      ) : (
        <ValueText property={property} record={record} />
      )}
    </div>
  );
}

interface ClashProps extends RowProps {
  refusal: Refusal;
  settle: (refusal: null) => void;
  store: (change: Change, version: number) => Promise<void>;
}

/** Somebody else has stored another value since the control was opened: both are shown, and one of them stays. */
function Clash({ property, record, refusal: { change }, settle, store }: ClashProps) {
  const mine: Shown = { properties: change.values, texts: change.texts };
  const theirs = textOf(property, record) || recordPage.suggestions.nothing;
  const own = textOf(property, mine) || recordPage.suggestions.nothing;
  return (
    <>
      <Clashes
        of={{
          clashes: [property.slug],
          base: { [property.slug]: theirs },
          settle: (by) => {
            settle(null);
            if (by === "mine") void store(change, record.version);
          },
        }}
        labelOf={() => property.label}
      />
      <p class="soft property-mine">
        <Foreign>{say(words.yours, { value: own })}</Foreign>
      </p>
    </>
  );
}
