/** The records that lead to one: a company's contacts and deals, a contact's deals. */
import { useState } from "preact/hooks";
import { to } from "../../../house/address";
import { may } from "../../../house/boot";
import { useAnswer } from "../../../house/queries";
import { recordPage } from "../../../messages/en/record_page";
import { say } from "../../../messages/messages";
import { Avatar } from "../../../parts/avatar";
import { Button, LinkButton } from "../../../parts/button";
import { Failure } from "../../../parts/failure";
import { Skeleton } from "../../../parts/states";
import { Foreign } from "../../../parts/texts";
import { titleOf } from "../values/properties";
import { ValueText } from "../values/value_text";
import type { ObjectDetails, RecordDetails } from "./shapes";
import "../../../styles/record_page.css";

const words = recordPage.related;
const PAGE = 50;
const MOST = 200;

type Line = NonNullable<RecordDetails["related"]>["records"][number];

interface RelatedProps {
  record: RecordDetails;
  object: ObjectDetails;
}

export function Related({ record, object }: RelatedProps) {
  const [limit, setLimit] = useState(PAGE);
  const asked = { objectType: object.slug, id: record.id, fields: [], related: { limit } };
  const { answer, problem, query } = useAnswer("record.get", asked);
  const objects = useAnswer("object.list", {}).answer?.objects ?? [];
  const lines = answer?.related?.records;
  const groups = new Map<string, Line[]>();
  for (const line of lines ?? []) {
    const key = `${line.record.objectType} ${line.property}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return (
    <section class="record-related" aria-labelledby="related">
      <h2 id="related">{words.title}</h2>
      {problem && !lines ? (
        <Failure problem={problem} again={() => void query.again()} />
      ) : !lines ? (
        <Skeleton lines={2} height={32} />
      ) : lines.length === 0 ? (
        <p class="soft record-none">{words.noneBody}</p>
      ) : (
        [...groups].map(([key, group]) => {
          const [first] = group;
          const label = objects.find(({ slug }) => slug === first?.record.objectType)?.labelPlural;
          const isPlain = first?.property === object.slug;
          return first && <Group key={key} label={label ?? first.record.objectType} by={isPlain ? null : first.property} lines={group} />;
        })
      )}
      {answer?.related?.nextCursor && limit < MOST && (
        <Button look="quiet" small onClick={() => setLimit(MOST)}>
          {words.more}
        </Button>
      )}
      {may("records.write") && (
        <div class="related-new">
          {objects.map(({ slug, label }) => (
            <NewOf key={slug} slug={slug} label={label} owner={record} />
          ))}
        </div>
      )}
    </section>
  );
}

/** A new record of an object that has a relation to what *owner* is, and belongs to it from the start. */
function NewOf({ slug, label, owner }: { slug: string; label: string; owner: RecordDetails }) {
  const { answer } = useAnswer("object.get", { objectType: slug });
  const relation = answer?.properties.find(({ type, options }) => type === "relation" && options[0] === owner.objectType);
  if (!relation) return null;
  return (
    <LinkButton small look="quiet" icon="plus" href={to(`/app/records/${slug}`, { new: "1", relation: relation.slug, to: owner.id })}>
      {say(words.create, { object: label })}
    </LinkButton>
  );
}

/** *by* is the relation that leads here, where its name does not say the same as the object's. */
function Group({ label, by, lines }: { label: string; by: string | null; lines: readonly Line[] }) {
  const [first] = lines;
  const object = useAnswer("object.get", { objectType: first?.record.objectType ?? "" }).answer;
  const properties = object?.properties ?? [];
  const relation = properties.find(({ slug }) => slug === by)?.label;
  return (
    <div class="related-group">
      <h3>
        <Foreign>{label}</Foreign> <span class="count">{lines.length}</span>
        {by && relation && (
          <span class="soft">
            {" "}
            <Foreign>{say(words.by, { property: relation })}</Foreign>
          </span>
        )}
      </h3>
      <ul>
        {lines.map(({ record }) => {
          const name = titleOf(record, properties);
          const beside = properties.filter(
            ({ slug, type }) => type !== "relation" && slug !== "name" && record.properties[slug] !== undefined,
          );
          return (
            <li key={record.id}>
              <a href={to(`/app/records/${record.objectType}/${record.id}`)}>
                <Avatar name={name} of={record.objectType === "contact" ? "person" : "organization"} />
                <span class="two-lines">
                  <Foreign>{name}</Foreign>
                  <span class="soft related-beside">
                    {beside.slice(0, 2).map((property) => (
                      <span key={property.slug}>
                        <ValueText property={property} record={record} bare />
                      </span>
                    ))}
                  </span>
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
