/** Saved views as tabs: one's own and shared ones, and what is done with the one that is shown. */
import { useState } from "preact/hooks";
import { address, setParameters, to } from "../../../house/address";
import { may, session } from "../../../house/boot";
import { toast } from "../../../house/toasts";
import { records as words } from "../../../messages/en/records";
import { messages, say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { Icon } from "../../../parts/icon";
import { later } from "../../../parts/later";
import { Menu, type MenuItem } from "../../../parts/menu";
import { Foreign } from "../../../parts/texts";
import { AS_SAVED, isChanged, type Spec, type View, viewInput } from "../which";
import "../../../styles/records.css";

const said = words.views;
const NewView = later(async () => (await import("./view_dialogs")).NewView);
const RenameView = later(async () => (await import("./view_dialogs")).RenameView);

type Acts = typeof import("./view_acts");

/** What is done with views is loaded when something is. */
async function act(does: (acts: Acts) => Promise<void>): Promise<void> {
  try {
    await does(await import("./view_acts"));
  } catch {
    toast(messages.problems.noConnection, { kind: "failed" });
  }
}

interface ViewTabsProps {
  objectType: string;
  views: readonly View[];
  saved: View | undefined;
  spec: Spec;
}

export function ViewTabs({ objectType, views, saved, spec }: ViewTabsProps) {
  const [dialog, setDialog] = useState<"new" | "rename" | null>(null);
  const changed = isChanged();
  const path = address.value.path;
  const isMine = saved?.createdBy === session.value?.person.id || (saved?.shared && may("settings"));
  const discard = () => setParameters(AS_SAVED);
  const items: MenuItem[] = saved
    ? [
        { label: said.rename, icon: "pencil", run: () => setDialog("rename") },
        {
          label: saved.shared ? said.unshare : said.share,
          icon: "users",
          run: () => void act((acts) => acts.update(saved, { shared: !saved.shared })),
        },
        { label: said.remove, icon: "trash-2", danger: true, run: () => void act((acts) => acts.remove(saved)) },
      ]
    : [];
  return (
    <div class="records-views">
      <nav class="tabs" aria-label={said.label}>
        <a href={to(path)} aria-current={saved ? undefined : "true"}>
          {said.all}
        </a>
        {views.map((view) => (
          <a key={view.id} href={to(path, { saved: view.id })} aria-current={view.id === saved?.id ? "true" : undefined}>
            <Foreign>{view.name}</Foreign>
            {view.shared && <Icon name="users" size={12} label={said.isShared} />}
            {view.id === saved?.id && changed && <span class="records-unsaved" role="img" aria-label={said.unsaved} title={said.unsaved} />}
          </a>
        ))}
      </nav>
      {saved && isMine && (
        <Menu label={say(said.more, { name: saved.name })} items={[items]}>
          <Icon name="ellipsis" />
        </Menu>
      )}
      {changed && (
        <div class="row records-save">
          {saved && isMine && (
            <Button small onClick={() => void act((acts) => acts.store(saved, viewInput(objectType, spec), spec.board))}>
              {said.save}
            </Button>
          )}
          <Button small look={saved && isMine ? "quiet" : "plain"} onClick={() => setDialog("new")}>
            {said.saveAs}
          </Button>
          <Button small look="quiet" onClick={discard}>
            {said.discard}
          </Button>
        </div>
      )}
      <NewView isWanted={dialog === "new"} input={viewInput(objectType, spec)} boardBy={spec.board} onClose={() => setDialog(null)} />
      {saved && <RenameView isWanted={dialog === "rename"} view={saved} onClose={() => setDialog(null)} />}
    </div>
  );
}
