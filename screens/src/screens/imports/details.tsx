/** One import of Settings › Imports: who, when, which file, and what became of it. */
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { to } from "../../house/address";
import { useAnswer } from "../../house/queries";
import { imports as words } from "../../messages/en/imports";
import { messages, say } from "../../messages/messages";
import { LinkButton } from "../../parts/button";
import { Failure, Notice } from "../../parts/failure";
import { Foreign, RelativeTime } from "../../parts/texts";
import { End, headOf } from "./end";
import { Faults } from "./faults";
import { StateBadge, useStarters } from "./listing";
import { Counts, linesOf } from "./outcome";
import type { Import } from "./upload";
import "../../styles/imports.css";

const said = words.list;
const KIB = 1024;

export default function ImportDetails({ params: { import: id = "" } }: ScreenProps) {
  const { answer: import_, problem, query } = useAnswer("import.get", { id });
  const objects = useAnswer("object.list", {}).answer?.objects;
  const starterOf = useStarters();
  if (problem && !import_) return <Failure page problem={problem} again={() => void query.again()} />;
  if (!import_ || import_.id !== id) return <PageSkeleton />;
  const object = objects?.find(({ slug }) => slug === import_.objectType) ?? { slug: import_.objectType, labelPlural: import_.objectType };
  const isOpen = import_.endedAt === null;
  return (
    <Page title={import_.name} crumbs={[messages.nav.settings, { label: said.title, href: to("/app/settings/imports") }]}>
      <div class="import-stage">
        <Facts of={import_} object={object.labelPlural} who={starterOf(import_)} />
        <h2>
          <Foreign>{headOf(import_, linesOf(import_))}</Foreign>
        </h2>
        {isOpen ? (
          <>
            {linesOf(import_) > 0 && (
              <>
                <Counts of={import_} />
                <Faults of={import_} />
              </>
            )}
            <Notice
              icon="upload"
              title={said.states[import_.state]}
              body={said.openBody}
              action={
                <LinkButton look="solid" href={to(`/app/settings/objects/${object.slug}/import`, { import: id })}>
                  {said.goOn}
                </LinkButton>
              }
            />
          </>
        ) : (
          <End import={import_} object={object} query={query} />
        )}
      </div>
    </Page>
  );
}

function Facts({ of, object, who }: { of: Import; object: string; who: string }) {
  return (
    <dl class="facts" aria-label={said.facts}>
      <dt>{said.state}</dt>
      <dd>
        <StateBadge of={of} />
      </dd>
      <dt>{said.object}</dt>
      <dd>
        <Foreign>{object}</Foreign>
      </dd>
      {who && (
        <>
          <dt>{said.who}</dt>
          <dd>
            <Foreign>{who}</Foreign>
          </dd>
        </>
      )}
      <dt>{said.started}</dt>
      <dd>
        <RelativeTime at={of.createdAt} />
      </dd>
      {of.endedAt && (
        <>
          <dt>{said.ended}</dt>
          <dd>
            <RelativeTime at={of.endedAt} />
          </dd>
        </>
      )}
      <dt>{said.size}</dt>
      <dd>{say(said.bytes, { n: Math.max(1, Math.round(of.bytes / KIB)) })}</dd>
    </dl>
  );
}
