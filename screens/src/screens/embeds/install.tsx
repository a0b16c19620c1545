import { embeds as words } from "../../messages/en/embeds";
import { say } from "../../messages/messages";
import { Copy } from "../../parts/texts";
import type { EmbedDetails } from "./draft";

const said = words.install;

/** The key, and what to paste into a page or a program. */
export function Install({ embed: { embedKey, domain } }: { embed: EmbedDetails }) {
  const address = `${location.origin}/api/e/${embedKey}`;
  const page = [`<script src="${location.origin}/e.js" defer></script>`, `<div data-svc-embed="${embedKey}"></div>`].join("\n");
  return (
    <div class="stack-wide narrow">
      <section>
        <h2>{said.page}</h2>
        <p class="soft lead">
          {domain ? say(said.bound, { domain }) : said.unbound} {said.pageHint}
        </p>
        <Copy text={page} label={said.page} block />
      </section>
      <section>
        <h2>{said.key}</h2>
        <p class="soft lead">{said.keyHint}</p>
        <Copy text={embedKey} label={said.key} />
      </section>
      <section class="stack">
        <h2>{said.data}</h2>
        <Copy text={`curl ${address}`} label={said.data} block />
        <h2>{said.html}</h2>
        <Copy text={`curl '${address}?format=html'`} label={said.html} block />
      </section>
    </div>
  );
}
