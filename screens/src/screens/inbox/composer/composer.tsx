/** Where an answer is written: a reply, or a note that colleagues alone see. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { session } from "../../../house/boot";
import { type Input, write } from "../../../house/tools";
import { inbox } from "../../../messages/en/inbox";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { Icon } from "../../../parts/icon";
import { later } from "../../../parts/later";
import { ErrorBox } from "../../../parts/states";
import { Foreign } from "../../../parts/texts";
import type { ConversationDetails, Member } from "../shapes";
import { nameOf } from "../shapes";
import type { DraftText } from "./draft";
import { sendReply } from "./outgoing";
import { type Template, textOf, useTemplates } from "./saved_replies";
import { type Suggestion, useSuggestions, withWord, wordAfter } from "./suggestions";
import { type Upload, useUploads } from "./uploads";
import "../../../styles/inbox.css";

const words = inbox.composer;
const TEXT_CHARS_MAX = 16_000;
const NOTE_CHARS_MAX = 10_000;

const SavedReplies = later(async () => (await import("./saved_replies_dialog")).SavedReplies);

export type Mode = "reply" | "note";

interface ComposerProps {
  conversation: ConversationDetails;
  draft: DraftText;
  members: readonly Member[];
  mode: Mode;
  onMode: (mode: Mode) => void;
  /** The newest message that is shown: where somebody has answered since, a reply is not sent. */
  seen: string | null;
  /** Somebody is typing, for those who look at the same conversation. */
  onTyping: () => void;
}

export function Composer({ conversation, draft, members, mode, onMode, seen, onTyping }: ComposerProps) {
  const { id } = conversation;
  const field = useRef<HTMLTextAreaElement>(null);
  const [cursor, setCursor] = useState(0);
  const [note, setNote] = useNoteText(id);
  const [isManaging, setManaging] = useState(false);
  const files = useUploads(id);
  const isNote = mode === "note";
  const text = isNote ? note : draft.text;
  const set = (next: string) => {
    if (isNote) setNote(next);
    else {
      draft.set(next);
      onTyping();
    }
  };
  const noteAct = useAct(async () => {
    const result = await write("conversation.note", { id, text: note.trim(), mentions: mentionsIn(note, members) });
    if (result.ok) {
      setNote("");
      onMode("reply");
    }
    return result;
  });
  const canSend = isNote ? note.trim() !== "" : (draft.text.trim() !== "" || files.uploads.length > 0) && !files.isUploading;
  const submit = () => {
    if (!canSend) return;
    if (isNote) return void noteAct.run();
    sendReply({ ...replyOf(id, draft.text, files.uploads), ...(seen && { unlessAnsweredSince: seen }) }, draft.take());
    files.clear();
  };
  const focusIn = (next: Mode) => {
    onMode(next);
    field.current?.focus(); // At once: the next key is meant for it.
  };
  const suggesting = useWritingHelp({ text, cursor, isNote, members, conversation, manage: () => setManaging(true), put });
  function put(next: { text: string; cursor: number }): void {
    set(next.text);
    setCursor(next.cursor);
    // At once: the next letter comes behind it.
    if (!field.current) return;
    field.current.value = next.text;
    field.current.focus();
    field.current.setSelectionRange(next.cursor, next.cursor);
  }
  useLayoutEffect(() => {
    // As high as what is in it, to where the style sheet stops it.
    const area = field.current;
    if (!area) return;
    area.style.blockSize = "auto";
    area.style.blockSize = `${area.scrollHeight + 2}px`;
  }, [text, mode]);
  const name = nameOf(conversation);
  return (
    <form
      class="composer"
      data-mode={mode}
      aria-label={words.label}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => !isNote && event.preventDefault()}
      onDrop={(event) => {
        if (isNote || !event.dataTransfer?.files.length) return;
        event.preventDefault();
        files.add([...event.dataTransfer.files]);
      }}
    >
      <div class="composer-modes" role="tablist" aria-label={words.label}>
        {(["reply", "note"] as const).map((one) => (
          <button key={one} type="button" role="tab" aria-selected={mode === one} onClick={() => focusIn(one)}>
            {one === "note" && <Icon name="lock" size={14} />}
            {words[one]}
          </button>
        ))}
      </div>
      {draft.theirs !== null && !isNote && (
        <p class="composer-theirs" role="status">
          {words.changed} <Foreign>{draft.theirs.slice(0, 120)}</Foreign>
          <Button look="quiet" small onClick={() => draft.set(draft.theirs ?? "")}>
            {words.useTheirs}
          </Button>
        </p>
      )}
      <ErrorBox problem={noteAct.problem} />
      <div class="composer-field">
        {suggesting.list}
        <textarea
          ref={field}
          id="composer"
          rows={2}
          dir="auto"
          aria-autocomplete="list"
          {...suggesting.aria}
          aria-label={isNote ? words.noteTo : say(words.to, { name })}
          placeholder={isNote ? words.noteTo : `${say(words.to, { name })} · ${words.savedHint}`}
          maxLength={isNote ? NOTE_CHARS_MAX : TEXT_CHARS_MAX}
          value={text}
          onInput={({ currentTarget }) => {
            set(currentTarget.value);
            setCursor(currentTarget.selectionStart);
          }}
          onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
          onPaste={(event) => {
            const pasted = [...(event.clipboardData?.files ?? [])];
            if (isNote || pasted.length === 0) return;
            event.preventDefault();
            files.add(pasted);
          }}
          onKeyDown={(event) => {
            if (suggesting.onKeyDown(event)) return;
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              submit();
            } else if (event.key === "Escape") {
              event.preventDefault();
              event.currentTarget.blur();
            }
          }}
        />
      </div>
      {!isNote && <Files uploads={files.uploads} onDiscard={files.discard} />}
      <div class="composer-foot">
        {!isNote && (
          <>
            <AttachButton onFiles={files.add} />
            <Button look="quiet" small icon="message-square-text" label={words.saved} onClick={() => setManaging(true)} />
          </>
        )}
        <span class="soft composer-kept" role="status">
          {!isNote && draft.state === "kept" && words.draftKept}
          {!isNote && draft.state === "here" && words.draftHere}
        </span>
        <Button type="submit" look="solid" small busy={noteAct.busy} disabled={!canSend}>
          {isNote ? words.saveNote : words.send} <kbd>{words.keys}</kbd>
        </Button>
      </div>
      <SavedReplies
        isWanted={isManaging}
        conversationId={id}
        onClose={() => setManaging(false)}
        onUse={(template) => {
          setManaging(false);
          insert(template);
        }}
      />
    </form>
  );

  function insert(template: Template): void {
    const filled = textOf(template);
    const at = field.current?.selectionStart ?? text.length;
    put({ text: text.slice(0, at) + filled + text.slice(at), cursor: at + filled.length });
  }
}

function replyOf(conversationId: string, text: string, uploads: readonly Upload[]): Input<"message.reply"> {
  const attachments = uploads.flatMap(({ fileId, name, mediaType }) =>
    fileId === null ? [] : [{ kind: mediaType.startsWith("image/") ? ("image" as const) : ("file" as const), fileId, name }],
  );
  return { conversationId, ...(text.trim() && { text: text.trim() }), ...(attachments.length && { attachments }) };
}

/** Members whom a note names with `@`. */
function mentionsIn(note: string, members: readonly Member[]): string[] {
  return members.filter(({ name }) => name && note.includes(`@${name}`)).map(({ id }) => id);
}

/** A note is kept in this browser until it is saved. */
function useNoteText(conversationId: string): [string, (text: string) => void] {
  const place = `svc-note-${session.peek()?.person.id ?? ""}-${conversationId}`;
  const [text, setText] = useState(() => localStorage.getItem(place) ?? "");
  const set = (next: string) => {
    setText(next);
    if (next) localStorage.setItem(place, next);
    else localStorage.removeItem(place);
  };
  return [text, set];
}

interface HelpOptions {
  text: string;
  cursor: number;
  isNote: boolean;
  members: readonly Member[];
  conversation: ConversationDetails;
  manage: () => void;
  put: (next: { text: string; cursor: number }) => void;
}

/** Saved replies behind `/` in a reply, members behind `@` in a note. */
function useWritingHelp({ text, cursor, isNote, members, conversation, manage, put }: HelpOptions) {
  const sign = isNote ? "@" : "/";
  const word = wordAfter(sign, text, cursor);
  const [closedAt, setClosedAt] = useState<string | null>(null);
  useEffect(() => {
    if (word === null) setClosedAt(null);
  }, [word]);
  const isOpen = word !== null && closedAt === null;
  const templates = useTemplates(conversation.id, isOpen && !isNote);
  const fits = (label: string) => label.toLocaleLowerCase().includes((word ?? "").toLocaleLowerCase());
  const mentioned: Suggestion[] = members
    .filter(({ status, name, email }) => status === "active" && name && (fits(name) || fits(email)))
    .map(({ id, name, email }) => ({ id, label: name, note: email }));
  const saved = templates?.filter(({ name }) => fits(name)).map((one) => ({ id: one.id, label: one.name, note: one.text }));
  const found = !isOpen ? null : isNote ? (mentioned.length > 0 ? mentioned : null) : (saved ?? null);
  const suggesting = useSuggestions<Suggestion>({
    label: isNote ? words.mentions : words.saved,
    found,
    onClose: () => setClosedAt(word),
    onChoose: ({ id, label }) => {
      const template = templates?.find((one) => one.id === id);
      put(withWord(sign, text, cursor, isNote ? `@${label} ` : template ? textOf(template) : ""));
    },
    foot: !isNote && (
      <button
        type="button"
        class="suggestions-foot"
        onMouseDown={(event) => {
          event.preventDefault();
          setClosedAt(word);
          manage();
        }}
      >
        {words.manage}
      </button>
    ),
  });
  return suggesting;
}

function Files({ uploads, onDiscard }: { uploads: readonly Upload[]; onDiscard: (one: Upload) => void }) {
  if (uploads.length === 0) return null;
  return (
    <ul class="composer-files">
      {uploads.map((one) => (
        <li key={one.key} aria-busy={one.fileId === null || undefined}>
          {one.fileId === null ? <span class="spinner" /> : <Icon name={one.mediaType.startsWith("image/") ? "image" : "file-text"} />}
          <span class="one-line">
            <Foreign>{one.name}</Foreign>
          </span>
          <Button look="quiet" small icon="x" label={say(words.remove, { name: one.name })} onClick={() => onDiscard(one)} />
        </li>
      ))}
    </ul>
  );
}

function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button look="quiet" small icon="paperclip" label={words.attach} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          const chosen = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          if (chosen.length > 0) onFiles(chosen);
        }}
      />
    </>
  );
}
