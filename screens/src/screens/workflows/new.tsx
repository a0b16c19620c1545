/** A new workflow: from nothing, or from one that is often needed. */
import { Page } from "../../frame/page";
import { parameter, setParameters, to } from "../../house/address";
import { workflow_templates } from "../../messages/en/workflow_templates";
import { workflows as words } from "../../messages/en/workflows";
import { Icon } from "../../parts/icon";
import { later } from "../../parts/later";
import { Skeleton } from "../../parts/states";
import type { EditorProps } from "./editor/editor";
import { ICONS } from "./step_icons";
import { TEMPLATES } from "./templates";
import "../../styles/workflows.css";

const Editor = later<EditorProps>(async () => (await import("./editor/editor")).Editor);
const BLANK = "blank";

export default function NewWorkflow() {
  const from = parameter("from");
  const template = TEMPLATES.find(({ key }) => key === from);
  const crumbs = [{ label: words.title, href: to("/app/workflows") }];
  if (template || from === BLANK) {
    return (
      <Page title={words.newTitle} crumbs={crumbs} wide>
        <Editor
          isWanted
          meanwhile={<Skeleton lines={8} />}
          key={from}
          stored={null}
          begin={template?.document ?? null}
          again={() => undefined}
        />
      </Page>
    );
  }
  return (
    <Page title={words.newTitle} crumbs={crumbs} about={words.newAbout} wide>
      <ul class="templates">
        <li>
          <button type="button" class="template" onClick={() => setParameters({ from: BLANK })}>
            <span class="template-icons">
              <Icon name="plus" />
            </span>
            <strong>{words.blank}</strong>
            <span class="soft">{words.blankAbout}</span>
          </button>
        </li>
        {TEMPLATES.map(({ key, document }) => (
          <li key={key}>
            <button type="button" class="template" onClick={() => setParameters({ from: key })}>
              <span class="template-icons">
                {document.steps.map((step) => (
                  <Icon key={step.key} name={ICONS[step.type]} />
                ))}
              </span>
              <strong>{workflow_templates[key].name}</strong>
              <span class="soft">{workflow_templates[key].about}</span>
            </button>
          </li>
        ))}
      </ul>
    </Page>
  );
}
