/** What a card asks for, in full: the exact input, and for changes what there is now. */
import type { ComponentChildren } from "preact";
import { may } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import { approvals as words } from "../../messages/en/approvals";
import { Exactly, Members, memberLabel, Readable } from "../../parts/readable";
import { RecordLink } from "../../parts/record_link";
import { Foreign } from "../../parts/texts";
import { type Card, given } from "./title";
import "../../styles/approvals.css";

const said = words.card;
/** Values that are shown of a record which is to go. */
const SHOWN = 8;
/** Members that say how something is asked, and change nothing themselves. */
const CONDITIONS: readonly string[] = ["ifVersion", "objectType", "id"];

export function Request({ of: card }: { of: Card }) {
  if (card.tool === null || card.input === null) return <p class="soft">{said.decides}</p>;
  return (
    <section class="stack">
      <h3>{card.state === "waiting" ? said.todo : said.wasAsked}</h3>
      {card.state === "waiting" ? <Waiting of={card} input={card.input} /> : <Members of={card.input} />}
      <Exactly value={card.input} />
    </section>
  );
}

function Waiting({ of: card, input }: { of: Card; input: object }) {
  const id = given(card, "id");
  const object = given(card, "objectType");
  if (card.tool === "organization.update") return <OrganizationChange input={input} />;
  if (card.tool === "object.publish" && object !== null && may("records.read")) return <PublishingChange object={object} input={input} />;
  if (card.tool === "record.delete" && id !== null && may("records.read")) return <LostRecord id={id} />;
  const merged = given(card, "mergedId");
  if (card.tool === "record.merge" && id !== null && merged !== null && may("records.read")) return <Merge id={id} merged={merged} />;
  return <Members of={input} />;
}

function OrganizationChange({ input }: { input: object }) {
  const { answer } = useAnswer("organization.get", {});
  return <Comparison input={input} now={answer} />;
}

function PublishingChange({ object, input }: { object: string; input: object }) {
  const { answer } = useAnswer("object.get", { objectType: object });
  return <Comparison input={input} now={answer} />;
}

/** Each member that changes: what it is now, and what it would be. */
function Comparison({ input, now }: { input: object; now: object | undefined }) {
  const before = now as Readonly<Record<string, unknown>> | undefined;
  const changes = Object.entries(input).filter(([member, value]) => value !== null && !CONDITIONS.includes(member));
  return (
    <table class="table-plain comparison" aria-label={said.change}>
      <thead>
        <tr>
          <th scope="col">{said.member}</th>
          <th scope="col">{said.now}</th>
          <th scope="col">{said.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(([member, value]) => (
          <tr key={member}>
            <th scope="row">{memberLabel(member)}</th>
            <td class="soft">{before ? <Readable value={before[member]} member={member} /> : "…"}</td>
            <td>
              <strong>
                <Readable value={value} member={member} />
              </strong>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A record that is to be deleted, with the values that would go with it. */
function LostRecord({ id }: { id: string }) {
  const { answer, problem } = useAnswer("record.get", { id });
  const object = useAnswer("object.get", { objectType: answer?.objectType ?? "contact" }).answer;
  if (problem && !answer) return <RecordLink id={id} />;
  if (!answer) return <span class="soft">…</span>;
  const labelOf = (slug: string) => object?.properties.find((one) => one.slug === slug)?.label ?? memberLabel(slug);
  const values = Object.entries(answer.properties).filter(([, value]) => value !== null && value !== "");
  return (
    <div class="request-record" role="group" aria-label={said.lost}>
      <RecordLink id={id} />
      <dl class="facts">
        {values.slice(0, SHOWN).map(([slug, value]) => (
          <>
            <dt>
              <Foreign>{labelOf(slug)}</Foreign>
            </dt>
            <dd>
              <Readable value={value} />
            </dd>
          </>
        ))}
      </dl>
    </div>
  );
}

function Merge({ id, merged }: { id: string; merged: string }) {
  const row = (label: string, of: ComponentChildren) => (
    <>
      <dt>{label}</dt>
      <dd>{of}</dd>
    </>
  );
  return (
    <dl class="facts">
      {row(said.stays, <RecordLink id={id} />)}
      {row(said.takenOver, <RecordLink id={merged} />)}
    </dl>
  );
}
