/** One thing that happened, or visits that came one after the other. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { to } from "../../../house/address";
import { may } from "../../../house/boot";
import { formatTime } from "../../../house/formats";
import { messengerNames } from "../../../messages/en/messenger_names";
import { recordPage } from "../../../messages/en/record_page";
import { say } from "../../../messages/messages";
import type { IconName } from "../../../parts/icon_names";
import { Badge, Foreign } from "../../../parts/texts";
import { ChangeBody, ChangeHead } from "./change_entry";
import { type Entry, membersIn, type ObjectDetails, type RecordDetails, textIn } from "./shapes";
import { Mark, Who } from "./who";
import "../../../styles/record_page.css";

const words = recordPage.timeline;
const FIELDS_SHOWN = 3;

export interface EntryProps {
  group: readonly [Entry, ...Entry[]];
  record: RecordDetails;
  object: ObjectDetails;
}

interface Look {
  head: ComponentChildren;
  body?: ComponentChildren;
  icon: IconName;
}

const onMessenger = (kind: string): string =>
  kind === "other" || !(kind in messengerNames)
    ? words.onAnother
    : say(words.onMessenger, { messenger: messengerNames[kind as keyof typeof messengerNames] });

export function TimelineEntry(props: EntryProps) {
  const { group } = props;
  const { head, body, icon } = lookOf(props);
  return (
    <li class="entry" data-kind={group[0].kind} id={group[0].id}>
      <Mark icon={icon} who={group[0].who} />
      <div class="entry-body">
        <div class="entry-head">
          <p>{head}</p>
          <TimeOf at={group[0].at} />
        </div>
        {body}
      </div>
    </li>
  );
}

function TimeOf({ at }: { at: string }) {
  return <time dateTime={at}>{formatTime(at)}</time>;
}

function lookOf(props: EntryProps): Look {
  const { group, object } = props;
  const [{ kind, data, who }] = group;
  const by = (phrase: string) => (
    <>
      <Who who={who} /> {phrase}
    </>
  );
  switch (kind) {
    case "created":
      return { icon: "plus", head: words.createdAlone };
    case "updated":
      return {
        icon: "pencil",
        head: <ChangeHead entry={group[0]} object={object} />,
        body: <ChangeBody entry={group[0]} {...props} />,
      };
    case "deleted":
      return { icon: "trash-2", head: by(words.deleted) };
    case "restored":
      return { icon: "undo-2", head: by(words.restored) };
    case "merged":
      return { icon: "layers", head: by(words.merged) };
    case "note":
      return {
        icon: "file-text",
        head: who && !data.submissionId ? by(words.wrote) : <strong>{data.submissionId ? words.noteOf : words.note}</strong>,
        body: <Note title={textIn(data.title)} body={textIn(data.body)} />,
      };
    case "submission":
      return {
        icon: "clipboard-list",
        head: <strong>{who?.name ? <Foreign>{say(words.submissionOf, { form: who.name })}</Foreign> : words.submission}</strong>,
        body: <Sent entry={group[0]} />,
      };
    case "visit":
      return {
        icon: "globe",
        head: <strong>{say(words.visited, { n: group.length })}</strong>,
        body: <Visits of={group} />,
      };
    case "deal":
      return {
        icon: "handshake",
        head: (
          <>
            <strong>{words.deal}</strong>{" "}
            <a href={to(`/app/records/deal/${textIn(data.recordId)}`)}>
              <Foreign>{textIn(data.name) || recordPage.noName}</Foreign>
            </a>{" "}
            {textIn(data.stage) && <Badge>{textIn(data.stage)}</Badge>}
          </>
        ),
      };
    case "message":
      return {
        icon: "inbox",
        head: (
          <>
            <Who who={who} /> {data.direction === "in" ? words.incoming : words.outgoing}{" "}
            <span class="soft">
              <Foreign>{onMessenger(textIn(data.messenger))}</Foreign>
            </span>
          </>
        ),
        body: <Message entry={group[0]} />,
      };
    case "run":
      return {
        icon: "play",
        head: (
          <>
            <Who who={who} /> {runState(textIn(data.state))}
          </>
        ),
      };
  }
}

const isRunState = (state: string): state is keyof typeof words.runStates => state in words.runStates;

function runState(state: string): string {
  return isRunState(state) ? words.runStates[state] : state;
}

/** The beginning of a message: all of it is in its conversation. */
function Message({ entry: { data } }: { entry: Entry }) {
  return (
    <div class="entry-card">
      {textIn(data.text) && (
        <p class="entry-text">
          <Foreign>{textIn(data.text)}</Foreign>
        </p>
      )}
      {data.hasAttachments === true && <span class="soft">{words.attachments}</span>}
      {may("conversations") && (
        <a class="entry-more" href={to(`/app/inbox/${textIn(data.conversationId)}`)}>
          {words.openConversation}
        </a>
      )}
    </div>
  );
}

const LONG_CHARS = 600;

function Note({ title, body }: { title: string; body: string }) {
  const [all, setAll] = useState(false);
  const isLong = body.length > LONG_CHARS;
  const shown = isLong && !all ? `${body.slice(0, LONG_CHARS).trimEnd()}…` : body;
  return (
    <div class="entry-card">
      {title && (
        <p class="entry-title">
          <Foreign>{title}</Foreign>
        </p>
      )}
      {body && (
        <p class="entry-text">
          <Foreign>{shown}</Foreign>
        </p>
      )}
      {isLong && <More all={all} onAll={setAll} />}
    </div>
  );
}

function More({ all, onAll }: { all: boolean; onAll: (all: boolean) => void }) {
  return (
    <button type="button" class="entry-more" aria-expanded={all} onClick={() => onAll(!all)}>
      {all ? words.showLess : words.showAll}
    </button>
  );
}

/** The fields of a submission, the first few at once. */
function Sent({ entry: { id, data } }: { entry: Entry }) {
  const [all, setAll] = useState(false);
  const fields = Object.entries(membersIn(data.fields)).filter(([, value]) => value !== null && value !== "");
  const shown = all ? fields : fields.slice(0, FIELDS_SHOWN);
  return (
    <div class="entry-card">
      <dl class="facts" aria-label={words.fields}>
        {shown.map(([name, value]) => (
          <>
            <dt>
              <Foreign>{name}</Foreign>
            </dt>
            <dd>
              <Foreign>{String(value)}</Foreign>
            </dd>
          </>
        ))}
      </dl>
      <div class="row">
        {fields.length > FIELDS_SHOWN && <More all={all} onAll={setAll} />}
        {may("forms") && (
          <a class="entry-more" href={to("/app/submissions", { open: id })}>
            {words.openSubmission}
          </a>
        )}
      </div>
    </div>
  );
}

function Visits({ of }: { of: readonly Entry[] }) {
  return (
    <ol class="entry-visits">
      {of.map(({ id, at, data }) => (
        <li key={id}>
          <span>
            <Foreign>{textIn(data.title) || textIn(data.url)}</Foreign>
            <span class="soft">
              {" "}
              <Foreign>{pathOf(textIn(data.url))}</Foreign>
              {textIn(data.referrer) && <Foreign>{` · ${say(words.from, { referrer: hostOf(textIn(data.referrer)) })}`}</Foreign>}
            </span>
          </span>
          {of.length > 1 && <TimeOf at={at} />}
        </li>
      ))}
    </ol>
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return host + (pathname === "/" ? "" : pathname);
}
