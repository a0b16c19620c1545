/** Records side by side: which of them stays, whose value it has of each property, and the merge. */

import { useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { to } from "../../../house/address";
import { may } from "../../../house/boot";
import { formatDate } from "../../../house/formats";
import { useKeys } from "../../../house/keys";
import type { Result } from "../../../house/problems";
import type { Answer } from "../../../house/tools";
import { duplicates as words } from "../../../messages/en/duplicates";
import { permissions as permissionNames } from "../../../messages/en/permissions";
import { say } from "../../../messages/messages";
import { Avatar } from "../../../parts/avatar";
import { Button } from "../../../parts/button";
import { ErrorBox } from "../../../parts/states";
import { Foreign } from "../../../parts/texts";
import { currencySlug, type Property, titleOf } from "../values/properties";
import { AnyValue } from "./any_value";
import { type Choice, type Compared, differs, keeperOf, survivorOf, valueKey } from "./comparison";
import { mergeAll } from "./merging";
import type { ObjectDetails } from "./shapes";
import "../../../styles/record_page.css";

interface CompareProps {
  records: readonly Compared[];
  object: ObjectDetails;
  /** The one that stays, unless another is chosen; else the one that says most. */
  stays?: string;
  /** They are one now: the one that stayed. */
  onMerged: (survivor: Answer<"record.merge">) => void;
  /** Says that they are not the same; undefined where that is not asked. */
  notSame?: (() => Promise<Result<unknown>>) | undefined;
}

export function Compare({ records: all, object, stays, onMerged, notSame }: CompareProps) {
  const [choice, setChoice] = useState<Choice>(() => ({ survivor: stays ?? survivorOf(all), leftOut: [], values: {} }));
  const records = all.filter(({ id }) => !choice.leftOut.includes(id));
  const { properties } = object;
  const mayMerge = may("records.write");
  const nameOf = (record: Compared) => titleOf(record, properties);
  const merge = () => mergeAll(records, properties, choice, onMerged);
  const refuse = useAct(async () => {
    const undone: Result<unknown> = { ok: true, answer: null };
    return (await notSame?.()) ?? undone;
  });
  useKeys(
    mayMerge
      ? [
          { key: "m", label: words.merge, run: () => void merge() },
          ...(notSame ? [{ key: "d", label: words.notSame, run: () => void refuse.run() }] : []),
        ]
      : [],
  );
  const shown = properties.filter((property) => all.some((record) => valueKey(record, property) !== ""));
  return (
    <div class="compare">
      <ErrorBox problem={refuse.problem} />
      <div class="compare-scroll">
        <table class="compare-table" style={{ "--records": String(all.length) }}>
          <thead>
            <tr>
              <td />
              {all.map((record) => (
                <Head
                  key={record.id}
                  record={record}
                  all={all}
                  name={nameOf(record)}
                  choice={choice}
                  onChoice={setChoice}
                  mayMerge={mayMerge}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((property) => (
              <Line
                key={property.slug}
                property={property}
                all={all}
                records={records}
                choice={choice}
                onChoice={setChoice}
                mayMerge={mayMerge}
              />
            ))}
          </tbody>
        </table>
      </div>
      {mayMerge ? (
        <div class="form-actions">
          <Button look="solid" icon="git-merge" disabled={records.length < 2} onClick={() => void merge()}>
            {words.merge} <kbd>M</kbd>
          </Button>
          {notSame && (
            <Button busy={refuse.busy} onClick={() => void refuse.run()}>
              {words.notSame} <kbd>D</kbd>
            </Button>
          )}
        </div>
      ) : (
        <p class="soft">{say(words.readOnly, { permission: permissionNames["records.write"] })}</p>
      )}
    </div>
  );
}

interface ChoiceProps {
  all: readonly Compared[];
  choice: Choice;
  onChoice: (choice: Choice) => void;
  mayMerge: boolean;
}

function Head({ record, all, name, choice, onChoice, mayMerge }: ChoiceProps & { record: Compared; name: string }) {
  const isOut = choice.leftOut.includes(record.id);
  const leaveOut = (out: boolean) => {
    const leftOut = out ? [...choice.leftOut, record.id] : choice.leftOut.filter((id) => id !== record.id);
    onChoice({ ...choice, leftOut });
  };
  return (
    <th scope="col" data-out={isOut || undefined} data-kept={record.id === choice.survivor || undefined}>
      <span class="with-avatar">
        <Avatar name={name} of={record.objectType === "contact" ? "person" : "organization"} />
        <span class="two-lines">
          <a href={to(`/app/records/${record.objectType}/${record.id}`)}>
            <Foreign>{name}</Foreign>
          </a>
          <span class="soft">{say(words.created, { when: formatDate(record.createdAt) })}</span>
        </span>
      </span>
      {mayMerge && (
        <span class="compare-choices">
          <label>
            <input
              type="radio"
              name="survivor"
              checked={record.id === choice.survivor}
              disabled={isOut}
              onChange={() => onChoice({ ...choice, survivor: record.id, values: {} })}
            />
            {words.survivor}
          </label>
          {all.length > 2 && record.id !== choice.survivor && (
            <label>
              <input type="checkbox" checked={isOut} onChange={({ currentTarget }) => leaveOut(currentTarget.checked)} />
              {words.leaveOut}
            </label>
          )}
        </span>
      )}
    </th>
  );
}

interface LineProps extends ChoiceProps {
  property: Property;
  /** Without those that are left out. */
  records: readonly Compared[];
}

/** A property: where the records differ, one of the values is chosen. */
function Line({ property, all, records, choice, onChoice, mayMerge }: LineProps) {
  const { slug, label } = property;
  const mustChoose = mayMerge && differs(records, property);
  const keeper = keeperOf(records, property, choice);
  const kept = records.find(({ id }) => id === keeper);
  return (
    <tr data-differs={mustChoose || undefined}>
      <th scope="row">
        <Foreign>{label}</Foreign>
      </th>
      {all.map((record) => {
        const isOut = choice.leftOut.includes(record.id);
        const isEmpty = valueKey(record, property) === "";
        const value = (
          <AnyValue
            property={property}
            value={record.properties[slug]}
            currency={record.properties[currencySlug(property)]}
            empty={words.empty}
            bare={mustChoose}
          />
        );
        const isKept = kept !== undefined && !isEmpty && valueKey(kept, property) === valueKey(record, property);
        return (
          <td key={record.id} data-out={isOut || undefined} data-kept={isKept || undefined}>
            {mustChoose && !isEmpty && !isOut ? (
              <label>
                <input
                  type="radio"
                  name={`value-${slug}`}
                  checked={record.id === keeper}
                  onChange={() => onChoice({ ...choice, values: { ...choice.values, [slug]: record.id } })}
                />
                {value}
              </label>
            ) : (
              value
            )}
          </td>
        );
      })}
    </tr>
  );
}
