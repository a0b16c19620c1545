/** An entry that changed values: from what to what, and the way back. */
import { useAct } from "../../../house/acts";
import { may } from "../../../house/boot";
import { toast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { toastWithUndo } from "../../../house/undo";
import { recordPage } from "../../../messages/en/record_page";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { Icon } from "../../../parts/icon";
import { Foreign } from "../../../parts/texts";
import type { Property } from "../values/properties";
import { AnyValue } from "./any_value";
import { type Entry, membersIn, type ObjectDetails, type RecordDetails } from "./shapes";
import { Who } from "./who";
import "../../../styles/record_page.css";

const words = recordPage.timeline;

interface Change {
  slug: string;
  /** Undefined of one that is deleted by now. */
  property: Property | undefined;
  from: unknown;
  to: unknown;
}

/** The values that *entry* changed; a currency belongs to its amount. */
function changesOf({ data }: Entry, { properties }: ObjectDetails): Change[] {
  const changed = membersIn(data.changed);
  return Object.entries(changed).flatMap(([slug, pair]) => {
    const [from, to]: unknown[] = Array.isArray(pair) ? pair : [];
    const isCurrency = slug.endsWith("_currency") && slug.slice(0, -"_currency".length) in changed;
    return isCurrency ? [] : [{ slug, from, to, property: properties.find((one) => one.slug === slug) }];
  });
}

const labelOf = ({ property, slug }: Change): string => property?.label ?? slug;

export function ChangeHead({ entry, object }: { entry: Entry; object: ObjectDetails }) {
  const changes = changesOf(entry, object);
  const [first] = changes;
  const text =
    changes.length === 1 && first ? say(words.changed, { property: labelOf(first) }) : say(words.changedSeveral, { n: changes.length });
  return (
    <>
      <Who who={entry.who} /> <Foreign>{text}</Foreign>
    </>
  );
}

interface ChangeBodyProps {
  entry: Entry;
  record: RecordDetails;
  object: ObjectDetails;
}

export function ChangeBody({ entry, record, object }: ChangeBodyProps) {
  const changes = changesOf(entry, object);
  const changed = membersIn(entry.data.changed);
  const act = useAct(async () => {
    const result = await write("record.revert", { id: record.id, change: entry.id });
    if (result.ok) {
      const { version } = result.answer;
      const properties = Object.fromEntries(
        Object.entries(changed).map(([slug, pair]) => [slug, Array.isArray(pair) ? (pair[1] ?? null) : null]),
      );
      toastWithUndo(words.reverted, () => write("record.update", { id: record.id, properties, ifVersion: version }));
    } else toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
    return result;
  });
  return (
    <div class="entry-change">
      <ul>
        {changes.map((change) => (
          <li key={change.slug}>
            {changes.length > 1 && (
              <span class="soft entry-change-label">
                <Foreign>{labelOf(change)}</Foreign>
              </span>
            )}
            <AnyValue
              property={change.property}
              value={change.from}
              currency={currencyAt(changed, change.slug, record, 0)}
              empty={words.empty}
            />
            <Icon name="arrow-right" size={14} />
            <AnyValue
              property={change.property}
              value={change.to}
              currency={currencyAt(changed, change.slug, record, 1)}
              empty={words.empty}
            />
          </li>
        ))}
      </ul>
      {may("records.write") && (
        <Button look="quiet" small icon="undo-2" busy={act.busy} onClick={() => void act.run()}>
          {words.revert}
        </Button>
      )}
    </div>
  );
}

/** The currency of the amount *slug* before (0) or after (1) a change: that of now, where it did not change then. */
function currencyAt(changed: Readonly<Record<string, unknown>>, slug: string, record: RecordDetails, at: 0 | 1): unknown {
  const pair = changed[`${slug}_currency`];
  return Array.isArray(pair) ? pair[at] : record.properties[`${slug}_currency`];
}
