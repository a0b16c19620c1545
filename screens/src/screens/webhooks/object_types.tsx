import { useAnswer } from "../../house/queries";
import { webhooks as words } from "../../messages/en/webhooks";
import { Foreign } from "../../parts/texts";

interface ObjectTypesProps {
  chosen: readonly string[];
  onChosen: (chosen: string[]) => void;
}

/** The objects whose records' events are sent. */
export function ObjectTypes({ chosen, onChosen }: ObjectTypesProps) {
  const objects = useAnswer("object.list", {}).answer?.objects ?? [];
  const toggle = (slug: string) => onChosen(chosen.includes(slug) ? chosen.filter((one) => one !== slug) : [...chosen, slug]);
  return (
    <fieldset class="field">
      <legend>{words.objectTypes}</legend>
      <div class="checks">
        {objects.map(({ slug, labelPlural }) => (
          <label key={slug}>
            <input type="checkbox" checked={chosen.includes(slug)} onChange={() => toggle(slug)} />
            <Foreign>{labelPlural}</Foreign>
          </label>
        ))}
      </div>
      <p class="field-hint">{words.objectTypesHint}</p>
    </fieldset>
  );
}
