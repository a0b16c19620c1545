/** What was just done, by whom, as lines that lead to it. */
import { useState } from "preact/hooks";
import { to } from "../../house/address";
import { may, session } from "../../house/boot";
import type { Answer } from "../../house/tools";
import { home } from "../../messages/en/home";
import { Avatar } from "../../parts/avatar";
import { Button, LinkButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/icon_names";
import { Empty } from "../../parts/states";
import { Foreign, RelativeTime } from "../../parts/texts";
import { screenHref } from "./screen_path";
import "../../styles/home.css";

type Act = Answer<"home.get">["recent"][number];

const words = home.recent;
const ICONS: Record<Act["who"]["kind"], IconName> = {
  person: "user",
  key: "key-round",
  grant: "plug",
  agent: "bot",
  workflow: "workflow",
  operator: "terminal",
  service: "settings",
};

/** At first; the others at a click. */
const SHOWN = 8;

export function Recent({ acts }: { acts: readonly Act[] }) {
  const [showsAll, setShowsAll] = useState(false);
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">{words.title}</h2>
      {acts.length === 0 ? (
        <Empty icon="history" title={words.nothing}>
          {words.nothingBody}
        </Empty>
      ) : (
        <ol class="home-recent">
          {(showsAll ? acts : acts.slice(0, SHOWN)).map((act) => (
            <li key={`${act.at} ${act.who.id} ${act.what}`}>
              {act.path ? <a href={screenHref(act.path)}>{line(act)}</a> : <div>{line(act)}</div>}
            </li>
          ))}
        </ol>
      )}
      {acts.length > SHOWN && (
        <div class="home-more">
          <Button small look="quiet" expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? words.less : words.more}
          </Button>
          {may("security") && (
            <LinkButton look="quiet" small href={to("/app/settings/audit")}>
              {words.trail}
            </LinkButton>
          )}
        </div>
      )}
    </section>
  );
}

function line({ who, what, at }: Act) {
  const isOwn = who.id === session.value?.person.id;
  return (
    <>
      {who.kind === "person" ? (
        <Avatar name={who.name} />
      ) : (
        <span class="home-actor">
          <Icon name={ICONS[who.kind]} size={14} />
        </span>
      )}
      <span class="home-act">
        <strong>{isOwn ? words.you : <Foreign>{who.name}</Foreign>}</strong> <Foreign>{what}</Foreign>
      </span>
      <span class="soft home-at">
        <RelativeTime at={at} />
      </span>
    </>
  );
}
