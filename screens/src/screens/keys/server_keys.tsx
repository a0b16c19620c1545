/** Settings › Developers › Server keys: for servers that pass on what visitors send to a form. */
import { Page } from "../../frame/page";
import { useAnswer } from "../../house/queries";
import { write, writeOnce } from "../../house/tools";
import { keys as words } from "../../messages/en/keys";
import { messages } from "../../messages/messages";
import { useMaking } from "../../parts/making";
import { RelativeTime } from "../../parts/texts";
import { KeyTable } from "./key_table";
import { NewKey } from "./new_key";
import { isFull, Used } from "./used";

export default function ServerKeys() {
  const asked = useAnswer("serverkey.list", {});
  const { answer } = asked;
  const making = useMaking(words.server.create, { disabled: isFull(answer) });
  return (
    <Page
      title={words.server.title}
      crumbs={[messages.nav.settings, messages.sections.developers]}
      about={words.server.about}
      actions={making.button}
      wide
    >
      <Used of={answer} />
      <KeyTable
        words={words.server}
        icon="server"
        rows={answer?.serverKeys}
        asked={asked}
        newButton={making.button}
        columns={[{ key: "created", label: words.created, cell: (key) => <RelativeTime at={key.createdAt} /> }]}
        revokeBy={(id) => write("serverkey.revoke", { id })}
      />
      {making.isOpen && (
        <NewKey
          title={words.server.create}
          nameHint={words.server.nameHint}
          mint={(name) => writeOnce("serverkey.mint", { name })}
          onClose={making.close}
        >
          <p class="field-hint">{words.server.never}</p>
        </NewKey>
      )}
    </Page>
  );
}
