/** The records of an object: as a table or a board, as cards on a phone. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Page } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { parameter, setParameters, to } from "../../house/address";
import { may } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { records as words } from "../../messages/en/records";
import { say } from "../../messages/messages";
import { Failure } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import { later } from "../../parts/later";
import { useMaking } from "../../parts/making";
import { Menu } from "../../parts/menu";
import { ErrorBox, Skeleton } from "../../parts/states";
import { keepOrder } from "./page/order";
import { useRows } from "./rows";
import { reordered, shownProperties, useColumns } from "./table/columns";
import { Grid } from "./table/grid";
import type { HeadActions } from "./table/head";
import { useSelected } from "./table/selected";
import { Toolbar } from "./toolbar";
import type { Property } from "./values/properties";
import { ViewTabs } from "./views/view_tabs";
import { type Narrowed, narrowedBy, type Sort, type Spec, shownSpec, showSpec, specOf, type View, viewsOf, whichOf } from "./which";
import "../../styles/records.css";

const Board = later(async () => (await import("./board/board")).Board);
const BulkBar = later(async () => (await import("./bulk/bulk_bar")).BulkBar);
const Cards = later(async () => (await import("./table/cards")).Cards);
const EmptyList = later(async () => (await import("./empty_list")).EmptyList);
const ExportBar = later(async () => (await import("./bulk/export_bar")).ExportBar);
const NewRecord = later(async () => (await import("./new_record")).NewRecord);

type ObjectAnswer = Answer<"object.get">;

export default function Records({ params: { object: slug = "" } }: ScreenProps) {
  const { answer, problem, query, isOld } = useAnswer("object.get", { objectType: slug });
  const views = useAnswer("view.list", { tool: "record.list" }).answer?.views;
  const savedId = parameter("saved");
  if (!answer || isOld || (savedId && !views)) {
    return problem ? (
      <Failure page problem={problem} again={() => void query.again()} />
    ) : (
      <Page title="" wide>
        <Skeleton head="rows" />
      </Page>
    );
  }
  return <Listed key={slug} object={answer} views={viewsOf(views ?? [], slug)} />;
}

/** Each thing that is listed keeps what is selected in it: another object is another component. */
function Listed({ object, views }: { object: ObjectAnswer; views: readonly View[] }) {
  const { slug, properties } = object;
  const saved = views.find(({ id }) => id === parameter("saved"));
  const before = specOf(saved);
  const asked = shownSpec(before);
  const by = asked.board === null ? undefined : boardProperty(properties, asked.board);
  const spec = { ...asked, board: by?.slug ?? null };
  const search = parameter("q") ?? "";
  const isPhone = useIsPhone();
  const [isExporting, setIsExporting] = useState(false);
  const making = useMaking(say(words.create, { object: object.label }), { may: may("records.write") });
  const narrowed = narrowedBy(spec, search);
  const count = useAnswer("record.count", { objectType: slug, ...narrowed });
  const onSpec = (change: Partial<Spec>) => showSpec(before, change, change.filters !== undefined && parameter("filter") !== null);
  const { texts: _, ...exported } = whichOf(slug, properties, spec, narrowed);
  const importHref = to(`/app/settings/objects/${slug}/import`);
  const actions = (
    <>
      <Menu
        label={words.more}
        class="button button-plain button-icon"
        items={[
          [
            ...(may("records.write") ? [{ label: words.import, icon: "upload" as const, href: importHref }] : []),
            { label: words.export, icon: "download" as const, run: () => setIsExporting(true) },
            { label: words.duplicates, icon: "copy" as const, href: to(`/app/records/${slug}/duplicates`) },
          ],
        ]}
      >
        <Icon name="ellipsis" />
      </Menu>
      {making.button}
    </>
  );
  const shown = { object, spec, narrowed, isPhone, count: count.isOld ? undefined : count.answer?.count, onSpec };
  const empty = (
    <EmptyList
      isWanted
      search={search}
      isNarrowed={spec.filters.length > 0 || search !== ""}
      objects={object.labelPlural}
      importHref={importHref}
    >
      {making.button}
    </EmptyList>
  );
  return (
    <Page title={object.labelPlural} actions={actions} wide>
      <div class="records">
        {isExporting && <ExportBar isWanted input={exported} name={object.labelPlural} onEnd={() => setIsExporting(false)} />}
        <ViewTabs objectType={slug} views={views} saved={saved} spec={spec} />
        <Toolbar properties={properties} spec={spec} count={shown.count} isPhone={isPhone} onSpec={onSpec} />
        {by ? (
          <Board
            isWanted
            key={`${by.slug} ${by.options.join("\n")}`}
            objectType={slug}
            properties={properties}
            by={by}
            narrowed={narrowed}
            sort={spec.sort}
          />
        ) : (
          <TableOf {...shown} empty={empty} />
        )}
      </div>
      <NewRecord
        isWanted={making.isOpen}
        object={object}
        by={by?.slug}
        onClose={() => setParameters({ new: null, with: null, relation: null, to: null }, { replace: true })}
      />
    </Page>
  );
}

/** What the columns of a board are made of: the property called *slug*, or the first that has choices. */
function boardProperty(properties: readonly Property[], slug: string): Property | undefined {
  const selects = properties.filter(({ type }) => type === "select");
  return selects.find((property) => property.slug === slug) ?? selects[0];
}

interface ListedProps {
  object: ObjectAnswer;
  spec: Spec;
  narrowed: Narrowed;
  isPhone: boolean;
  count: number | undefined;
  empty: preact.ComponentChildren;
  onSpec: (change: Partial<Spec>) => void;
}

function TableOf({ object: { slug, labelPlural, properties }, spec, narrowed, isPhone, count, empty, onSpec }: ListedProps) {
  const which = whichOf(slug, properties, spec, narrowed);
  const list = useRows(which);
  const { answer: newest, problem, asking } = list.state.value;
  // Those of another filter stay until the newer ones are there.
  const before = useRef(newest);
  if (newest) before.current = newest;
  const answer = newest ?? before.current;
  const rows = answer?.rows ?? [];
  useEffect(
    () =>
      keepOrder(
        slug,
        rows.map(({ id }) => id),
      ),
    [slug, answer],
  );
  const chosen = spec.columns?.join() ?? "";
  const shown = useMemo(() => shownProperties(properties, spec.columns), [properties, chosen]);
  const columns = useColumns(slug, shown);
  const selected = useSelected(rows, JSON.stringify(which));
  const canWrite = may("records.write");
  if (!answer) return problem ? <Failure problem={problem} again={() => void list.again()} /> : <Skeleton head="rows" />;
  if (rows.length === 0 && !answer.hasMore) return <>{empty}</>;
  const see = (first: number, last: number) => list.see(first, last);
  if (isPhone) return <Cards isWanted label={labelPlural} shown={shown} rows={rows} hasMore={answer.hasMore} see={see} />;
  const head: HeadActions = {
    sort: (property, add) => onSpec({ sort: sorted(spec.sort, property, add) }),
    move: (moved, target) =>
      onSpec({
        columns: reordered(
          shown.map((one) => one.slug),
          moved,
          target,
        ),
      }),
  };
  return (
    <>
      {problem && <ErrorBox problem={problem} again={() => void list.again()} />}
      <Grid
        label={labelPlural}
        objectType={slug}
        properties={properties}
        columns={columns}
        rows={rows}
        count={count}
        hasMore={answer.hasMore}
        isOld={asking && newest === undefined}
        see={see}
        canWrite={canWrite}
        sort={spec.sort}
        head={head}
        selected={selected}
        narrowed={narrowed}
      />
      {canWrite && (
        <BulkBar isWanted={selected.ids.size > 0} list={list} rows={rows} count={count} selected={selected} properties={properties} />
      )}
    </>
  );
}

/** Up, down, and not at all, in turn. */
function sorted(sort: readonly Sort[], property: string, add: boolean): Sort[] {
  const now = sort.find((one) => one.property === property);
  const next: Sort[] = now?.direction === "desc" ? [] : [{ property, direction: now ? "desc" : "asc" }];
  const others = add ? sort.filter((one) => one.property !== property) : [];
  return [...others, ...next].slice(-3);
}

const PHONE = "(max-width: 48rem)";

function useIsPhone(): boolean {
  const [isPhone, setIsPhone] = useState(() => matchMedia(PHONE).matches);
  useEffect(() => {
    const query = matchMedia(PHONE);
    const look = () => setIsPhone(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return isPhone;
}
