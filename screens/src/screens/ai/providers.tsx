/** Own providers: added, changed, tried and removed. */
import { useState } from "preact/hooks";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { ai } from "../../messages/en/ai";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Failure } from "../../parts/failure";
import { Empty, Skeleton } from "../../parts/states";
import { Foreign } from "../../parts/texts";
import { type Provider, ProviderDialog } from "./provider_dialog";
import { TryModel } from "./try_model";
import "../../styles/ai.css";

const words = ai.providers;

export function Providers() {
  const { answer, problem, query } = useAnswer("ai.provider_list", {});
  /** The one that is changed; null for a new one, undefined while none is. */
  const [edited, setEdited] = useState<Provider | null | undefined>(undefined);
  const add = (
    <Button look="solid" onClick={() => setEdited(null)}>
      {words.add}
    </Button>
  );
  return (
    <div class="stack-wide">
      {problem && !answer ? (
        <Failure problem={problem} again={() => void query.again()} />
      ) : !answer ? (
        <Skeleton head="rows" />
      ) : answer.providers.length === 0 ? (
        <Empty icon="server" title={words.emptyTitle} action={add}>
          {words.emptyBody}
        </Empty>
      ) : (
        <>
          <div class="providers-head">
            <p class="soft">{words.about}</p>
            {add}
          </div>
          <ul class="providers">
            {answer.providers.map((provider) => (
              <One key={provider.id} of={provider} onEdit={() => setEdited(provider)} />
            ))}
          </ul>
        </>
      )}
      {edited !== undefined && <ProviderDialog provider={edited} onClose={() => setEdited(undefined)} />}
    </div>
  );
}

function One({ of: provider, onEdit }: { of: Provider; onEdit: () => void }) {
  const { id, name, baseUrl, keyVisibleEnd, models } = provider;
  const remove = async () => {
    const act = () => write("ai.provider_remove", { id });
    const question = { title: say(words.removeTitle, { name }), body: words.removeBody, confirm: words.remove, danger: true, act };
    if (await ask(question)) toast(say(words.removed, { name }));
  };
  return (
    <li class="provider">
      <header>
        <div class="two-lines">
          <h2>
            <Foreign>{name}</Foreign>
          </h2>
          <span class="soft">
            <Foreign>{baseUrl}</Foreign>
            {keyVisibleEnd && ` · ${say(words.keyEnds, { end: keyVisibleEnd })}`}
          </span>
        </div>
        <div class="row">
          <Button small onClick={onEdit}>
            {words.edit}
          </Button>
          <Button small look="quiet" onClick={() => void remove()}>
            {words.remove}
          </Button>
        </div>
      </header>
      <ul class="provider-models" aria-label={words.models}>
        {models.map((model) => (
          <li key={model.id}>
            <span class="two-lines">
              <Foreign>{model.id}</Foreign>
              {model.upstream !== model.id && (
                <span class="soft">
                  <Foreign>{model.upstream}</Foreign>
                </span>
              )}
            </span>
            <TryModel model={model.id} />
          </li>
        ))}
      </ul>
    </li>
  );
}
