/** Settings › Developers › Server keys: for servers that pass on what visitors send to a form. */
import { parameter, setParameters } from "../../house/address";
import { useKeys } from "../../house/keys";
import { useAnswer } from "../../house/queries";
import { write, writeOnce } from "../../house/tools";
import { keys as words } from "../../messages/en/keys";
import { messages } from "../../messages/messages";
import { Page } from "../../frame/page";
import { Button } from "../../parts/button";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";
import { RelativeTime } from "../../parts/texts";
import { expiresColumn, nameColumn, startColumn } from "./columns";
import { NewKey } from "./new_key";
import { revoke } from "./revoking";
import { isFull, Used } from "./used";

export default function ServerKeys() {
  const { answer, problem, query } = useAnswer("serverkey.list", {});
  const create = () => setParameters({ new: "1" });
  useKeys([{ key: "c", label: words.server.create, run: create }]);
  const newButton = (
    <Button look="solid" icon="plus" onClick={create} disabled={isFull(answer)}>
      {words.server.create}
    </Button>
  );
  return (
    <Page title={words.server.title} crumbs={[messages.nav.settings, messages.sections.developers]} about={words.server.about} actions={newButton} wide>
      <Used of={answer} />
      <Table
        label={words.server.title}
        rows={answer?.serverKeys}
        problem={problem}
        again={() => void query.again()}
        idOf={(key) => key.id}
        nameOf={(key) => key.name}
        empty={
          <Empty icon="server" title={words.server.emptyTitle} action={newButton}>
            {words.server.emptyBody}
          </Empty>
        }
        columns={[
          nameColumn(),
          startColumn(),
          { key: "created", label: words.created, cell: (key) => <RelativeTime at={key.createdAt} /> },
          expiresColumn(),
        ]}
        actions={(key) => (
          <Button small onClick={() => void revoke(key, () => write("serverkey.revoke", { id: key.id }))}>
            {words.revoke}
          </Button>
        )}
      />
      {parameter("new") && (
        <NewKey
          title={words.server.create}
          nameHint={words.server.nameHint}
          mint={(name) => writeOnce("serverkey.mint", { name })}
          onClose={() => setParameters({ new: null }, { replace: true })}
        >
          <p class="field-hint">{words.server.never}</p>
        </NewKey>
      )}
    </Page>
  );
}
