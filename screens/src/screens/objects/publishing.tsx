/** The switch that lets an object appear in embeds, with exactly what it shows then. */
import { useAct } from "../../house/acts";
import { to } from "../../house/address";
import { may } from "../../house/boot";
import { isPublic } from "../../house/public_properties";
import { queryOf, useAnswer } from "../../house/queries";
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
const WIDTH = matchMedia("(max-width: 48rem)").matches ? 375 : 1_040;

export function Publishing({ object }: { object: ObjectDetails }) {
  const { slug, labelPlural, publishable, properties } = object;
  const act = useAct(async (on: boolean) => {
    const back = queryOf("object.get", { objectType: slug }).expect((before) => ({ ...before, publishable: on }));
    const result = await write("object.publish", { objectType: slug, publishable: on });
    if (!result.ok) back();
    else toast(say(on ? said.on : said.off, { object: labelPlural }), { undo: () => void act.run(!on) });
    return result;
  });
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
      {may("embeds") ? (
        <WouldShow key={slug} slug={slug} properties={properties} isOn={publishable} />
      ) : (
        <Names properties={properties} isShown={isPublic} />
      )}
    </section>
  );
}

interface NamesProps {
  properties: readonly Property[];
  isShown: (property: Property) => boolean;
}

/** Which properties are shown, and which are not, and why. */
function Names({ properties, isShown }: NamesProps) {
  const why = (property: Property) => {
    const isOther = property.type === "relation" && isPublic(property);
    return say(property.personal ? said.whyPersonal : isOther ? said.whyOther : said.whyPerson, { property: property.label });
  };
  const shown = properties.filter(isShown);
  const never = properties.filter((property) => !isShown(property));
  return (
    <dl class="facts">
      <dt>{said.shown}</dt>
      <dd>{shown.length > 0 ? <Chips texts={shown.map(({ label }) => label)} /> : said.nothing}</dd>
      {never.length > 0 && (
        <>
          <dt>{said.never}</dt>
          <dd>
            <Chips texts={never.map(why)} isOff />
          </dd>
        </>
      )}
    </dl>
  );
}

function Chips({ texts, isOff = false }: { texts: readonly string[]; isOff?: boolean }) {
  return (
    <ul class="chips">
      {texts.map((text) => (
        <li key={text} class={isOff ? "chip chip-text chip-off" : "chip chip-text"}>
          <Foreign>{text}</Foreign>
        </li>
      ))}
    </ul>
  );
}

/** The newest records as a page would show them, with all that may be shown; a block has at most twelve columns. */
function WouldShow({ slug, properties, isOn }: { slug: string; properties: readonly Property[]; isOn: boolean }) {
  const slugs = properties.filter(isPublic).map((property) => property.slug);
  const tables = Array.from({ length: Math.ceil(slugs.length / FIELDS_MAX) }, (_, n) => slugs.slice(n * FIELDS_MAX, (n + 1) * FIELDS_MAX));
  const blocks: Input<"embed.preview">["blocks"] = tables.map((fields) => ({ type: "records", objectType: slug, fields }));
  const { answer, problem, query } = useAnswer("embed.preview", { blocks, asIfPublished: [slug] });
  const count = useAnswer("record.count", { objectType: slug }).answer?.count;
  if (problem && !answer) return <ErrorBox problem={problem} again={() => void query.again()} />;
  if (!answer) return <Skeleton />;
  const columns = new Set(answer.blocks.flatMap((block) => (block.type === "records" ? block.columns.map((column) => column.slug) : [])));
  return (
    <>
      <Names properties={properties} isShown={(property) => columns.has(property.slug)} />
      <InUse slug={slug} isOn={isOn} />
      {columns.size > 0 && (
        <>
          {count !== undefined && <p class="soft">{say(said.rows, { n: count })}</p>}
          <Fragment html={answer.html} width={WIDTH} ownSite="" label={said.would} />
        </>
      )}
    </>
  );
}

/** The embeds that show the object as soon as it may appear. */
function InUse({ slug, isOn }: { slug: string; isOn: boolean }) {
  const embeds = useAnswer("embed.list", { limit: 200 }).answer?.embeds.filter((embed) => embed.objectTypes.includes(slug));
  if (!embeds) return null;
  if (embeds.length === 0) return <p class="soft">{said.notInUse}</p>;
  return (
    <div>
      <p class="soft">{isOn ? said.inUse : said.wouldBeInUse}</p>
      <ul class="chips">
        {embeds.map((embed) => (
          <li key={embed.id} class="chip chip-text">
            <a href={to(`/app/embeds/${embed.id}`)}>
              <Foreign>{embed.name}</Foreign>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
