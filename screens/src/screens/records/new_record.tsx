/** The dialog in which a record is made. */
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { go, parameter, to } from "../../house/address";
import { ownProblem } from "../../house/problems";
import { toast } from "../../house/toasts";
import { type Answer, read, write } from "../../house/tools";
import { records as words } from "../../messages/en/records";
import { recordsLater as later } from "../../messages/en/records_later";
import { say } from "../../messages/messages";
import { FormDialog } from "../../parts/form_dialog";
import { valuesOf } from "./values/filled";
import { optionOf } from "./values/finding";
import { titleOf } from "./values/properties";
import { type Filled, PropertyField } from "./values/property_field";

interface NewRecordProps {
  object: Answer<"object.get">;
  /** The property that the columns of a board are made of, where it is one. */
  by?: string | undefined;
  onClose: () => void;
}

export function NewRecord({ object, by, onClose }: NewRecordProps) {
  const { slug, label, properties } = object;
  // A column of a board begins with its own choice.
  const begun = parameter("with");
  const [filled, setFilled] = useState<Readonly<Record<string, Filled>>>(begun && by ? { [by]: begun } : {});
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  // What is made from a record's page belongs to that record, and leads back there.
  const relation = properties.find(({ slug: own, type }) => type === "relation" && own === parameter("relation"));
  const owner = parameter("to");
  const ownerObject = relation?.options[0] ?? "";
  useEffect(() => {
    if (!relation || !owner) return;
    void read("record.get", { objectType: ownerObject, id: owner }).then((found) => {
      if (found.ok) setFilled((before) => ({ [relation.slug]: optionOf(found.answer), ...before }));
    });
  }, [owner]);
  const title = say(words.create, { object: label });
  const act = useAct(async () => {
    const found = valuesOf(properties, filled);
    setFaults(found.faults);
    if (Object.keys(found.faults).length > 0) return { ok: false as const, problem: ownProblem("stopped", "") };
    const result = await write("record.create", { objectType: slug, properties: found.values });
    if (result.ok) {
      if (relation && owner) void go(to(`/app/records/${ownerObject}/${owner}`), { replace: true, saved: true });
      else onClose();
      const { id } = result.answer;
      toast(say(later.created, { name: titleOf(result.answer, properties) }), {
        undo: () => void write("record.delete", { id }),
      });
    }
    return result;
  });
  return (
    <FormDialog title={title} act={act} submit={title} onClose={onClose}>
      {properties.map((property, at) => (
        <PropertyField
          key={property.slug}
          property={property}
          value={filled[property.slug] ?? null}
          onValue={(value) => {
            setFilled({ ...filled, [property.slug]: value });
            if (faults[property.slug]) setFaults({ ...faults, [property.slug]: "" });
          }}
          pointer={`/properties/${property.slug}`}
          fault={faults[property.slug] || null}
          autoFocus={at === 0}
        />
      ))}
    </FormDialog>
  );
}
