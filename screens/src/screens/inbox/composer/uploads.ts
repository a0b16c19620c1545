/** Files that go along with a reply: uploaded as they are chosen, and kept with the draft in this browser. */
import { useEffect, useRef, useState } from "preact/hooks";
import { session } from "../../../house/boot";
import { send } from "../../../house/requests";
import { toast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { inbox as words } from "../../../messages/en/inbox";
import { say } from "../../../messages/messages";

export interface Upload {
  key: string;
  name: string;
  mediaType: string;
  size: number;
  /** Null while it is on its way. */
  fileId: string | null;
}

const UPLOADS_MAX = 10;
const UPLOAD_SECONDS = 300;

const placeOf = (conversationId: string): string => `svc-files-${session.peek()?.person.id ?? ""}-${conversationId}`;

function kept(conversationId: string): Upload[] {
  try {
    return JSON.parse(localStorage.getItem(placeOf(conversationId)) ?? "[]") as Upload[];
  } catch {
    return [];
  }
}

export function useUploads(conversationId: string) {
  const [uploads, setUploads] = useState<readonly Upload[]>(() => kept(conversationId));
  const turn = useRef(Promise.resolve());
  useEffect(() => {
    const there = uploads.filter(({ fileId }) => fileId !== null);
    if (there.length > 0) localStorage.setItem(placeOf(conversationId), JSON.stringify(there));
    else localStorage.removeItem(placeOf(conversationId));
  }, [uploads]);
  const remove = (key: string) => setUploads((before) => before.filter((one) => one.key !== key));
  const upload = async (file: File, key: string) => {
    const headers = { "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}` };
    const result = await send<{ fileId: string }>("/app/api/files", {
      bytes: await file.arrayBuffer(),
      headers,
      seconds: UPLOAD_SECONDS,
    });
    if (result.ok) {
      const { fileId } = result.answer;
      setUploads((before) => before.map((one) => (one.key === key ? { ...one, fileId } : one)));
    } else {
      remove(key);
      toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
    }
  };
  return {
    uploads,
    isUploading: uploads.some(({ fileId }) => fileId === null),
    add: (files: readonly File[]) => {
      if (uploads.length + files.length > UPLOADS_MAX) toast(say(words.composer.tooMany, { n: UPLOADS_MAX }), { kind: "failed" });
      for (const file of files.slice(0, UPLOADS_MAX - uploads.length)) {
        const key = crypto.randomUUID();
        setUploads((before) => [...before, { key, name: file.name, mediaType: file.type, size: file.size, fileId: null }]);
        // One after the other: a person may have no more than two under way.
        turn.current = turn.current.then(() => upload(file, key));
      }
    },
    /** Take one back that was chosen by mistake; the service lets go of it, too. */
    discard: ({ key, fileId }: Upload) => {
      remove(key);
      if (fileId) void write("file.discard", { id: fileId });
    },
    clear: () => setUploads([]),
  };
}
