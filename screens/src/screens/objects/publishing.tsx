/** The switch that lets an object appear in embeds, with exactly what it shows then. */
import { useAct } from "../../house/acts";
import { may } from "../../house/boot";
import { isPublic } from "../../house/public_properties";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Input, write } from "../../house/tools";
import { objects as words } from "../../messages/en/objects";
import { say } from "../../messages/messages";
import { SwitchField } from "../../parts/field";
import { Fragment } from "../../parts/fragment";
import { ErrorBox, Skeleton } from "../../parts/states";
import { Foreign } from "../../parts/texts";
import type { ObjectDetails, Property } from "./property_dialog";

const said = words.embeds;
const FIELDS_MAX = 12;
const WIDTH = 1_040;

export function Publishing({ object }: { object: ObjectDetails }) {
  const { slug, labelPlural, publishable, properties } = object;
  const act = useAct(async (on: boolean) => {
    const result = await write("object.publish", { objectType: slug, publishable: on });
    if (result.ok) toast(say(on ? said.on : said.off, { object: labelPlural }), { undo: () => void act.run(!on) });
    return result;
  });
  const shown = properties.filter(isPublic);
  const never = properties.filter((property) => !isPublic(property));
  return (
    <section class="section stack" aria-labelledby="in-embeds">
      <h2 id="in-embeds">{said.title}</h2>
      <ErrorBox problem={act.problem} />
      <SwitchField
        label={said.publish}
        hint={may("settings") ? said.publishHint : said.noRight}
        on={publishable}
        disabled={!may("settings")}
        onValue={(on) => void act.run(on)}
      />
      <h3>{publishable ? said.shows : said.would}</h3>
      <dl class="facts">
        <dt>{said.shown}</dt>
        <dd>{shown.length > 0 ? <Names properties={shown} /> : said.nothing}</dd>
        {never.length > 0 && (
          <>
            <dt>{said.never}</dt>
            <dd>
              <Names properties={never} />
            </dd>
          </>
        )}
      </dl>
      {may("embeds") && shown.length > 0 && <WouldShow slug={slug} shown={shown} />}
    </section>
  );
}

function Names({ properties }: { properties: readonly Property[] }) {
  const why = (property: Property) => {
    if (isPublic(property)) return property.label;
    return say(property.personal ? said.whyPersonal : said.whyPerson, { property: property.label });
  };
  return (
    <ul class="chips">
      {properties.map((property) => (
        <li key={property.slug} class={isPublic(property) ? "chip chip-text" : "chip chip-text chip-off"}>
          <Foreign>{why(property)}</Foreign>
        </li>
      ))}
    </ul>
  );
}

function WouldShow({ slug, shown }: { slug: string; shown: readonly Property[] }) {
  const slugs = shown.map((property) => property.slug);
  const tables = Array.from({ length: Math.ceil(slugs.length / FIELDS_MAX) }, (_, n) => slugs.slice(n * FIELDS_MAX, (n + 1) * FIELDS_MAX));
  const blocks: Input<"embed.preview">["blocks"] = tables.map((fields) => ({ type: "records", objectType: slug, fields }));
  const { answer, problem, query } = useAnswer("embed.preview", { blocks, asIfPublished: [slug] });
  const count = useAnswer("record.count", { objectType: slug }).answer?.count;
  if (problem && !answer) return <ErrorBox problem={problem} again={() => void query.again()} />;
  if (!answer) return <Skeleton />;
  return (
    <>
      {count !== undefined && <p class="soft">{say(said.rows, { n: count })}</p>}
      <Fragment html={answer.html} width={WIDTH} ownSite="" label={said.would} />
    </>
  );
}
