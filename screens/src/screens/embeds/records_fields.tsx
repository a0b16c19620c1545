/** A block of records: of which object, which of their properties, how many, which alone and in what order. */
import { useEffect, useState } from "preact/hooks";
import { faultAt } from "../../house/problems";
import { isPublic } from "../../house/public_properties";
import { useAnswer } from "../../house/queries";
import { embeds as words } from "../../messages/en/embeds";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { type Property, TIMES } from "../../parts/condition_kinds";
import { Filters } from "../../parts/conditions";
import { SelectField, TextField } from "../../parts/field";
import { useFormProblem } from "../../parts/form";
import { Icon } from "../../parts/icon";
import { Foreign } from "../../parts/texts";
import { ROWS } from "./draft";
import { type FieldsProps, HeadingField } from "./heading_field";
import "../../styles/embeds.css";

const said = words.fields;
const FIELDS_MAX = 12;

export function RecordsFields({ block, at, onBlock }: FieldsProps<"records">) {
  const objects = useAnswer("object.list", {}).answer?.objects ?? [];
  const { answer, isOld } = useAnswer("object.get", { objectType: block.objectType });
  const properties: readonly Property[] = (!isOld && answer?.properties) || [];
  const [rows, setRows] = useState(String(block.limit ?? ROWS));
  useEffect(() => {
    if (Number(rows) !== (block.limit ?? ROWS)) setRows(String(block.limit ?? ROWS));
  }, [block.limit]);
  const filters = block.filters ?? [];
  const [sort] = block.sort ?? [];
  const ordered = [...properties.filter(isPublic), ...TIMES];
  const choices = objects.map(({ slug, labelPlural, publishable }) => ({
    value: slug,
    label: publishable ? labelPlural : say(said.notPublished, { object: labelPlural }),
  }));
  const orders = ordered.flatMap(({ slug, label }) =>
    (["asc", "desc"] as const).map((way) => ({ value: `${slug} ${way}`, label: say(said[way], { property: label }) })),
  );
  return (
    <>
      <SelectField
        label={said.object}
        pointer={`${at}/objectType`}
        value={block.objectType}
        onValue={(objectType) =>
          onBlock({ type: "records", objectType, fields: ["name"], ...(block.heading && { heading: block.heading }) }, "object")
        }
        choices={
          choices.some(({ value }) => value === block.objectType)
            ? choices
            : [{ value: block.objectType, label: block.objectType }, ...choices]
        }
      />
      <HeadingField block={block} at={at} onBlock={onBlock} />
      <Shown
        slugs={block.fields}
        at={`${at}/fields`}
        properties={properties}
        onSlugs={(fields) => onBlock({ ...block, fields }, "fields")}
      />
      <div class="two-fields">
        <TextField
          label={said.rows}
          pointer={`${at}/limit`}
          type="number"
          value={rows}
          onValue={(text) => {
            setRows(text);
            if (text !== "" && Number.isInteger(Number(text))) onBlock({ ...block, limit: Number(text) }, "limit");
          }}
        />
        <SelectField
          label={said.sort}
          pointer={`${at}/sort`}
          value={sort ? `${sort.property} ${sort.direction ?? "asc"}` : ""}
          onValue={(value) => {
            const [property = "", way] = value.split(" ");
            onBlock({ ...block, sort: property ? [{ property, direction: way === "desc" ? "desc" : "asc" }] : [] }, "sort");
          }}
          choices={[{ value: "", label: said.newest }, ...orders]}
        />
      </div>
      <Filters
        label={said.filters}
        filters={filters}
        at={`${at}/filters`}
        properties={ordered}
        onFilters={(changed, what) => onBlock({ ...block, filters: changed }, what)}
      />
    </>
  );
}

interface ShownProps {
  slugs: readonly string[];
  at: string;
  properties: readonly Property[];
  onSlugs: (slugs: string[]) => void;
}

function Shown({ slugs, at, properties, onSlugs }: ShownProps) {
  const fault = faultAt(useFormProblem(at), at);
  const labelOf = (slug: string) => properties.find((property) => property.slug === slug)?.label ?? slug;
  return (
    <fieldset class="field">
      <legend>
        {said.properties} <span class="soft">{`${slugs.length} / ${FIELDS_MAX}`}</span>
      </legend>
      {slugs.length > 0 && (
        <ul class="chips">
          {slugs.map((slug, index) => {
            const property = properties.find((one) => one.slug === slug);
            const isHidden = property !== undefined && !isPublic(property);
            return (
              <li key={slug} class={isHidden ? "chip chip-off" : "chip"}>
                <Foreign>{isHidden ? say(said.never, { property: property.label }) : labelOf(slug)}</Foreign>
                {index > 0 && (
                  <Button
                    small
                    look="quiet"
                    icon="arrow-up"
                    label={say(words.fieldUp, { field: labelOf(slug) })}
                    onClick={() => onSlugs(slugs.toSpliced(index, 1).toSpliced(index - 1, 0, slug))}
                  />
                )}
                <Button
                  small
                  look="quiet"
                  icon="x"
                  label={say(said.removeProperty, { property: labelOf(slug) })}
                  onClick={() => onSlugs(slugs.toSpliced(index, 1))}
                />
              </li>
            );
          })}
        </ul>
      )}
      {slugs.length < FIELDS_MAX && (
        <div class="select">
          <select
            class="control"
            aria-label={said.addProperty}
            aria-invalid={fault ? "true" : undefined}
            value=""
            onChange={(event) => {
              if (event.currentTarget.value) onSlugs([...slugs, event.currentTarget.value]);
              event.currentTarget.value = "";
            }}
          >
            <option value="">{said.addProperty}</option>
            {properties
              .filter(({ slug }) => !slugs.includes(slug))
              .map((property) => (
                <option key={property.slug} value={property.slug} disabled={!isPublic(property)}>
                  {isPublic(property) ? property.label : say(said.never, { property: property.label })}
                </option>
              ))}
          </select>
          <Icon name="chevron-down" />
        </div>
      )}
      {fault && <p class="field-fault">{fault}</p>}
    </fieldset>
  );
}
