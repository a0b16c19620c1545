/** Settings › AI: what was used and what is left, the models, own providers, and the statement. */
import { Page } from "../../frame/page";
import { parameter } from "../../house/address";
import { ai as words } from "../../messages/en/ai";
import { messages } from "../../messages/messages";
import { Tabs } from "../../parts/tabs";
import { Models } from "./models";
import { Providers } from "./providers";
import { StatementOfCredits } from "./statement";
import { Use } from "./use";

const TABS = { models: Models, providers: Providers, statement: StatementOfCredits } as const;

export default function Ai() {
  const tab = parameter("tab") as keyof typeof TABS | null;
  const Shown = (tab && TABS[tab]) ?? Use;
  return (
    <Page title={words.title} crumbs={[messages.nav.settings, messages.sections.ai]} about={words.about} wide>
      <div class="filters">
        <Tabs
          label={words.title}
          tabs={[
            { value: "", label: words.tabs.use },
            { value: "models", label: words.tabs.models },
            { value: "providers", label: words.tabs.providers },
            { value: "statement", label: words.tabs.statement },
          ]}
        />
      </div>
      <Shown />
    </Page>
  );
}
