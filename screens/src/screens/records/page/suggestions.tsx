/** Values that forms suggest for a record: each beside what is there now, to accept or dismiss. */
import { useAct } from "../../../house/acts";
import { may } from "../../../house/boot";
import { useKeys } from "../../../house/keys";
import { useList } from "../../../house/lists";
import type { Result } from "../../../house/problems";
import { toast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { toastWithUndo } from "../../../house/undo";
import { recordPage } from "../../../messages/en/record_page";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { Icon } from "../../../parts/icon";
import { ErrorBox } from "../../../parts/states";
import { Foreign, RelativeTime } from "../../../parts/texts";
import type { Property } from "../values/properties";
import { ValueText } from "../values/value_text";
import { textOf } from "../values/writing";
import type { ObjectDetails, RecordDetails, Suggestion } from "./shapes";
import "../../../styles/record_page.css";

const words = recordPage.suggestions;

interface SuggestionsProps {
  record: RecordDetails;
  object: ObjectDetails;
}

interface Line {
  suggestion: Suggestion;
  property: Property;
  text: string;
}

export function Suggestions({ record, object }: SuggestionsProps) {
  const list = useList("suggestion.list", "suggestions", { recordId: record.id }, ["suggestion", "record"]);
  const lines = (list.rows ?? []).flatMap((suggestion): Line[] => {
    const property = object.properties.find(({ slug }) => slug === suggestion.property);
    const text = property ? textOf(property, { properties: { [suggestion.property]: suggestion.value } }) : "";
    return property ? [{ suggestion, property, text }] : [];
  });
  const accept = async ({ suggestion, property, text }: Line): Promise<Result<unknown>> => {
    const before = record.properties[property.slug] ?? null;
    const result = await write("suggestion.accept", { id: suggestion.id });
    if (result.ok) {
      const { version } = result.answer;
      toastWithUndo(say(words.accepted, { property: property.label, value: text }), () =>
        write("record.update", { id: record.id, properties: { [property.slug]: before }, ifVersion: version }),
      );
    }
    return result;
  };
  const act = useAct(accept);
  const dismiss = useAct(async ({ suggestion }: Line) => {
    const result = await write("suggestion.dismiss", { id: suggestion.id });
    if (result.ok) toast(words.dismissed);
    return result;
  });
  const all = useAct(async (): Promise<Result<unknown>> => {
    // The newest of a property counts: it is accepted last.
    for (const line of lines.toReversed()) {
      const result = await write("suggestion.accept", { id: line.suggestion.id });
      if (!result.ok) return result;
    }
    toast(say(words.acceptedAll, { n: lines.length }));
    return { ok: true, answer: null };
  });
  const [first] = lines;
  const mayDecide = may("records.write");
  useKeys(first && mayDecide ? [{ key: "a", label: words.keyLabel, run: () => void act.run(first) }] : []);
  if (lines.length === 0) return null;
  return (
    <section class="suggestions" aria-label={say(words.title, { n: lines.length })}>
      <div class="record-head-row">
        <div>
          <h2>{say(words.title, { n: lines.length })}</h2>
          <p class="soft">{words.about}</p>
        </div>
        {lines.length > 1 && mayDecide && (
          <Button small busy={all.busy} onClick={() => void all.run()}>
            {words.acceptAll}
          </Button>
        )}
      </div>
      <ErrorBox problem={act.problem ?? dismiss.problem ?? all.problem} />
      <ul>
        {lines.map((line) => (
          <SuggestionLine key={line.suggestion.id} line={line} record={record} mayDecide={mayDecide} accept={act} dismiss={dismiss} />
        ))}
      </ul>
    </section>
  );
}

interface LineProps {
  line: Line;
  record: RecordDetails;
  mayDecide: boolean;
  accept: { run: (line: Line) => Promise<unknown> };
  dismiss: { run: (line: Line) => Promise<unknown> };
}

function SuggestionLine({ line, record, mayDecide, accept, dismiss }: LineProps) {
  const { suggestion, property, text } = line;
  const { slug, label } = property;
  const isEmpty = textOf(property, record) === "";
  return (
    <li>
      <span class="suggestion-label">
        <Foreign>{label}</Foreign>
        <span class="soft">
          <RelativeTime at={suggestion.createdAt} />
        </span>
      </span>
      <span class="suggestion-values">
        {isEmpty ? <span class="soft">{words.nothing}</span> : <ValueText property={property} record={record} bare />}
        <Icon name="arrow-right" size={14} />
        <strong>
          <ValueText property={property} record={{ properties: { [slug]: suggestion.value } }} bare />
        </strong>
      </span>
      {mayDecide && (
        <span class="row">
          <AcceptButton label={say(words.acceptOf, { value: text, property: label })} run={() => void accept.run(line)} />
          <Button
            look="quiet"
            small
            icon="x"
            label={say(words.dismissOf, { value: text, property: label })}
            onClick={() => void dismiss.run(line)}
          />
        </span>
      )}
    </li>
  );
}

function AcceptButton({ label, run }: { label: string; run: () => void }) {
  return (
    <Button small icon="check" onClick={run}>
      {words.accept} <span class="hidden">{label}</span>
    </Button>
  );
}
