/** What happened to a record, by day: notes, messages, submissions, visits, runs and changes, and where a note is written. */
import { useEffect, useRef } from "preact/hooks";
import { parameter } from "../../../house/address";
import { useList } from "../../../house/lists";
import { recordPage } from "../../../messages/en/record_page";
import { Button } from "../../../parts/button";
import { Failure } from "../../../parts/failure";
import { Empty, Skeleton } from "../../../parts/states";
import { Tabs } from "../../../parts/tabs";
import { TimelineEntry } from "./entry";
import type { ObjectDetails, RecordDetails } from "./shapes";
import { daysOf, FILTERS, isFilter, ofFilter } from "./timeline_groups";
import "../../../styles/record_page.css";

const words = recordPage.timeline;
/** As many are looked for before one has to ask for older ones. */
const ENOUGH = 20;
const NOUNS = ["record", "note", "submission", "suggestion", "conversation", "message", "workflow"];

interface TimelineProps {
  record: RecordDetails;
  object: ObjectDetails;
}

export function Timeline({ record, object }: TimelineProps) {
  const list = useList("record.timeline", "entries", { objectType: object.slug, id: record.id }, NOUNS);
  const asked = parameter("kind");
  const filter = isFilter(asked) ? asked : null;
  const shown = list.rows && ofFilter(list.rows, filter);
  const looks = list.hasMore && shown !== undefined && filter !== null && shown.length < ENOUGH;
  useEffect(() => {
    if (looks) list.more();
  }, [looks, list.rows?.length]);
  return (
    <section class="record-timeline" aria-labelledby="activity">
      <div class="record-head-row">
        <h2 id="activity">{words.title}</h2>
        <Tabs
          name="kind"
          label={words.filter}
          tabs={[{ value: "", label: words.all }, ...FILTERS.map((value) => ({ value, label: words.kinds[value] }))]}
        />
      </div>
      {list.problem && !list.rows ? (
        <Failure problem={list.problem} again={list.again} />
      ) : !shown || (looks && shown.length === 0) ? (
        <Skeleton lines={5} height={56} />
      ) : shown.length === 0 ? (
        <Empty icon="history" title={words.none[filter ?? "all"].title}>
          {words.none[filter ?? "all"].body}
        </Empty>
      ) : (
        daysOf(shown).map((day) => (
          <section key={day.label} class="timeline-day">
            <h3>{day.label}</h3>
            <ol>
              {day.groups.map((group) => (
                <TimelineEntry key={group[0].id} group={group} record={record} object={object} />
              ))}
            </ol>
          </section>
        ))
      )}
      {list.hasMore && shown !== undefined && <Older more={list.more} busy={list.asking || looks} />}
    </section>
  );
}

/** Loads on when it comes into sight; a button for those who get there by keys. */
function Older({ more, busy }: { more: () => void; busy: boolean }) {
  const line = useRef<HTMLDivElement>(null);
  const now = useRef(more);
  now.current = more;
  useEffect(() => {
    const watch = new IntersectionObserver(([seen]) => seen?.isIntersecting && now.current(), { rootMargin: "400px" });
    if (line.current) watch.observe(line.current);
    return () => watch.disconnect();
  }, []);
  return (
    <div ref={line} class="timeline-older">
      <Button look="quiet" busy={busy} onClick={more}>
        {words.older}
      </Button>
    </div>
  );
}
