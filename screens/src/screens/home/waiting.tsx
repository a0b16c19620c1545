/** What waits for somebody, as cards that lead to where it is seen to. */
import { formatNumber, plurals } from "../../house/formats";
import type { Answer } from "../../house/tools";
import { home } from "../../messages/en/home";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/icon_names";
import { RelativeTime } from "../../parts/texts";
import { screenHref } from "./screen_path";
import "../../styles/home.css";

type Things = Answer<"home.get">["waiting"][number];

const words = home.waiting;
/** More are told as "999+": the service stops counting a little above. */
const COUNT_MAX = 999;
const ICONS: Record<Things["kind"], IconName> = {
  approvals: "stamp",
  unanswered: "inbox",
  credits_low: "coins",
  submissions_held: "list-checks",
  submissions_queued: "inbox",
  suggestions: "pencil",
  import_failed: "upload",
  import_stopped: "upload",
  api_keys_ending: "key-round",
  gateway_keys_ending: "sparkles",
  server_keys_ending: "server",
  webhooks_failing: "webhook",
  connections_offline: "message-circle",
};

export function Waiting({ things }: { things: readonly Things[] }) {
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">{words.title}</h2>
      {things.length === 0 ? (
        <p class="home-calm">
          <Icon name="circle-check" size={20} />
          <span class="two-lines">
            <strong>{words.nothing}</strong>
            <span class="soft">{words.nothingBody}</span>
          </span>
        </p>
      ) : (
        <ul class="home-cards">
          {things.map((of) => (
            <Card key={of.kind} of={of} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Card({ of: { kind, count, oldestAt, path } }: { of: Things }) {
  const forms: { one: string; other: string } = words.kinds[kind];
  const [before, after = ""] = whenOf(kind).split("{when}");
  return (
    <li>
      <a class="home-card" href={screenHref(path)} id={`waiting-${kind}`}>
        <Icon name={ICONS[kind]} size={18} />
        {kind !== "credits_low" && (
          <strong class="home-count">{count > COUNT_MAX ? `${formatNumber(COUNT_MAX)}+` : formatNumber(count)}</strong>
        )}
        <span class="home-what">{plurals().select(count) === "one" ? forms.one : forms.other}</span>
        <span class="soft">
          {before}
          <RelativeTime at={oldestAt} />
          {after}
        </span>
      </a>
    </li>
  );
}

const SINCE: ReadonlySet<Things["kind"]> = new Set(["import_failed", "import_stopped", "webhooks_failing", "connections_offline"]);

function whenOf(kind: Things["kind"]): string {
  if (kind === "credits_low") return words.given;
  if (kind.endsWith("_ending")) return words.ends;
  return SINCE.has(kind) ? words.since : words.oldest;
}
