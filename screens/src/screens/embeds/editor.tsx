/** Blocks on the left, what visitors get on the right. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { useKeys } from "../../house/keys";
import { useAnswer } from "../../house/queries";
import { toast, undoLast } from "../../house/toasts";
import { type Input, write } from "../../house/tools";
import { embeds as words } from "../../messages/en/embeds";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { SelectField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { useSites } from "../../parts/new_thing";
import { Blocks } from "./blocks";
import { BLOCKS_MAX, changesOf, draftOf, type EmbedDetails, inWords, isComplete, merged, plain, updateOf, useDraft } from "./draft";
import { Preview } from "./preview";
import { type Refusals, refusalsOf, SavedRefused } from "./refusals";
import "../../styles/embeds.css";

const PAUSE_MS = 300;

export function Editor({ embed, again }: { embed: EmbedDetails; again: () => void }) {
  const [base, setBase] = useState(() => ({ version: embed.version, draft: draftOf(embed) }));
  const { draft, change, undo, redo, reset, canUndo, canRedo } = useDraft(base.draft);
  const [refusedAtSave, setRefusedAtSave] = useState<Refusals | null>(null);
  const sites = useSites(words.anySite);
  const changes = useMemo(() => changesOf(base.draft, draft), [base, draft]);
  const dirty = changes.length > 0;
  const theirs = useMemo(() => draftOf(embed, base.draft.blocks), [embed.version, base]);
  const theirChanges = embed.version > base.version ? changesOf(base.draft, theirs) : [];
  // Its own save, say, whose answer was lost.
  const isTheirs = theirChanges.length > 0 && Object.keys(updateOf(theirs, draft)).length === 0;
  const isBehind = dirty && theirChanges.length > 0 && !isTheirs;
  const take = () => {
    setBase({ version: embed.version, draft: theirs });
    reset(theirs);
  };
  useEffect(() => {
    if (embed.version <= base.version) return;
    if (!dirty) take();
    else if (isTheirs) {
      setBase({ version: embed.version, draft: draftOf(embed, draft.blocks) });
      act.forget();
    } else if (theirChanges.length === 0) setBase({ ...base, version: embed.version }); // It was paused, say.
  }, [embed.version, dirty]);

  const { shown, refusals } = usePreview(embed.id, base.draft, draft);
  const act = useAct(async () => {
    const result = await write("embed.update", { id: embed.id, ...updateOf(base.draft, draft), ifVersion: base.version });
    if (result.ok) {
      const { version, refused } = result.answer;
      setBase({ version, draft: draftOf(result.answer, draft.blocks) });
      setRefusedAtSave(refusalsOf(refused, draft.blocks));
      toast(say(words.saved, { changes: inWords(changes) }));
    } else if (result.problem.code === "conflict") again();
    return result;
  });
  const setText = (member: "name" | "siteId") => (value: string) => change((before) => ({ ...before, [member]: value }), member);
  useKeys([
    { key: "z", label: words.undo, run: () => void (undoLast() || undo()) },
    { key: "y", label: words.redo, run: redo },
  ]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its fields.
    <div class="editor" onKeyDown={(event) => onUndoKey(event, undo, redo)}>
      <Form act={act} dirty={dirty} label={words.tabs.edit}>
        {isBehind && (
          <div class="changed" role="alert">
            <strong>{words.changedTitle}</strong>
            <p>{say(words.changedBody, { theirs: inWords(theirChanges), mine: inWords(changes) })}</p>
            <div class="row">
              <Button small onClick={take}>
                {words.takeTheirs}
              </Button>
              <Button
                small
                onClick={() => {
                  change((mine) => merged(mine, base.draft, theirs));
                  setBase({ version: embed.version, draft: theirs });
                }}
              >
                {words.keepMine}
              </Button>
            </div>
          </div>
        )}
        {refusedAtSave && refusedAtSave.size > 0 && !dirty && <SavedRefused refusals={refusedAtSave} blocks={draft.blocks} />}
        <div class="editor-facts">
          <TextField label={words.name} pointer="/name" value={draft.name} onValue={setText("name")} max={200} />
          <SelectField label={words.site} pointer="/siteId" value={draft.siteId} onValue={setText("siteId")} choices={sites} />
        </div>
        <Blocks blocks={draft.blocks} change={change} refusals={refusals} problem={act.problem}>
          <Button small look="quiet" icon="undo-2" label={words.undo} disabled={!canUndo} onClick={undo} />
          <Button small look="quiet" icon="redo-2" label={words.redo} disabled={!canRedo} onClick={redo} />
        </Blocks>
        <div class="form-actions form-save editor-save">
          <Button type="submit" look="solid" busy={act.busy} disabled={!dirty || isBehind}>
            {messages.common.save}
          </Button>
          {dirty && (
            <Button look="quiet" onClick={() => change(() => base.draft)}>
              {messages.common.cancel}
            </Button>
          )}
          <p class="soft" role="status">
            {dirty ? sentence(inWords(changes)) : words.nothingChanged}.{refusals.size > 0 && " "}
            {refusals.size > 0 && <strong>{say(words.willRefuse, { n: refusals.size })}</strong>}
          </p>
        </div>
      </Form>
      <Preview embed={embed} dirty={dirty} shown={shown} />
    </div>
  );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What pages would show of *draft*, asked 300 ms after the last change. */
function usePreview(id: string, saved: ReturnType<typeof draftOf>, draft: ReturnType<typeof draftOf>) {
  const isSaved = updateOf(saved, draft).blocks === undefined;
  const complete = draft.blocks.filter(({ block }) => isComplete(block));
  const input: Input<"embed.preview"> = isSaved ? { id } : { blocks: complete.map(({ block }) => plain(block)) };
  const blocks = isSaved ? draft.blocks : complete;
  const now = { input, keys: blocks.map(({ key }) => key) };
  const [asked, setAsked] = useState(now);
  const text = JSON.stringify(now);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(now), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { answer, problem, isOld } = useAnswer("embed.preview", asked.input);
  const byKey = new Map(draft.blocks.map((one) => [one.key, one]));
  const placed = asked.keys.flatMap((key) => byKey.get(key) ?? []);
  const isCurrent = !isOld && placed.length === asked.keys.length;
  const refusals = answer && isCurrent ? refusalsOf(answer.refused, placed) : (new Map() as Refusals);
  return {
    shown: {
      html: answer?.html,
      problem: isOld || !answer ? problem : null,
      isEmpty: draft.blocks.length > BLOCKS_MAX ? false : complete.length === 0,
    },
    refusals,
  };
}

function onUndoKey(event: KeyboardEvent, undo: () => void, redo: () => void): void {
  const key = event.key.toLowerCase();
  // Within a field they are the browser's own.
  if (!(event.ctrlKey || event.metaKey) || event.altKey || (event.target as Element).closest("input, textarea, select")) return;
  if (key === "z" && !event.shiftKey) undo();
  else if (key === "y" || key === "z") redo();
  else return;
  event.preventDefault();
}
