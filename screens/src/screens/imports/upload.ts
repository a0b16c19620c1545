/** The upload of a file, part by part. It goes on while other screens are shown, and after a lost connection. */
import { signal } from "@preact/signals";
import { signInAgain } from "../../house/identity";
import { isUncertain, ownProblem, type Problem, type Result } from "../../house/problems";
import { nounChanged } from "../../house/queries";
import { send } from "../../house/requests";
import { type Answer, write } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";

export type Import = Answer<"import.get">;

interface Upload {
  id: string;
  sentBytes: number;
  /** Why it waits, or why it has stopped. */
  problem: Problem | null;
  stopped: boolean;
  goOn: () => void;
}

interface PartTaken {
  nextPart: number | null;
}

const PART_SECONDS = 120;
const RETRY_MS = [1_000, 2_000, 5_000, 15_000];
const FINGERPRINT_CHARS_MAX = 200;
const NAME_CHARS_MAX = 200;
const JSON_FILES = /\.(ndjson|jsonl|json)$/i;

/** The upload of this tab, if it has one. */
export const upload = signal<Upload | null>(null);

window.addEventListener("beforeunload", (event) => {
  if (upload.value && !upload.value.stopped) event.preventDefault();
});

/** Open an import of *file*, and begin to upload what is missing: the open one of the same file, or the one that it was imported by, unless *again*. */
export async function begin(objectType: string, file: File, again = false): Promise<Result<Import>> {
  const opened = await write("import.start", {
    objectType,
    name: nameOf(file),
    bytes: file.size,
    format: JSON_FILES.test(file.name) ? "ndjson" : "csv",
    fingerprint: `browser ${file.lastModified} ${file.size} ${file.name}`.slice(0, FINGERPRINT_CHARS_MAX),
    again,
  });
  if (opened.ok && opened.answer.nextPart !== null) void run(opened.answer, file, opened.answer.nextPart);
  return opened;
}

/** What the import of *file* is called. */
export function nameOf(file: File): string {
  return file.name.slice(0, NAME_CHARS_MAX);
}

/** Send no more parts of the upload of *id*: it was cancelled. */
export function forget(id: string): void {
  if (upload.value?.id === id) upload.value = null;
}

async function run({ id, uploadPath, partBytes }: Import, file: File, first: number): Promise<void> {
  const goOn = (next: number) => () => void run({ id, uploadPath, partBytes } as Import, file, next);
  const say = (next: number, problem: Problem | null, stopped = false) => {
    upload.value = { id, sentBytes: Math.min(next * partBytes, file.size), problem, stopped, goOn: goOn(next) };
  };
  let next: number | null = first;
  let tries = 0;
  say(next, null);
  while (next !== null) {
    let bytes: ArrayBuffer;
    try {
      bytes = await file.slice(next * partBytes, (next + 1) * partBytes).arrayBuffer();
    } catch {
      return say(
        next,
        { ...ownProblem("stopped", words.upload.unreadable), code: "no_answer", detail: words.upload.unreadableDetail },
        true,
      );
    }
    const sent: Result<PartTaken> = await send<PartTaken>(`${uploadPath}${next}`, { bytes, seconds: PART_SECONDS });
    if (upload.value?.id !== id) return;
    if (sent.ok) {
      next = sent.answer.nextPart;
      tries = 0;
      if (next !== null) say(next, null);
    } else if (isUncertain(sent.problem) || sent.problem.code === "rate_limited") {
      say(next, sent.problem);
      await pause(sent.problem.retryAfterSeconds, tries);
      tries += 1;
      if (upload.value?.id !== id) return;
    } else if (sent.problem.code !== "unauthorized" || !(await signInAgain())) {
      say(next, sent.problem, true);
      return nounChanged("import");
    }
  }
  upload.value = null;
  nounChanged("import");
}

/** Wait before the next try; the connection that comes back ends it. */
function pause(seconds: number | null, tries: number): Promise<void> {
  const ms = seconds === null ? (RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] as number) : seconds * 1_000;
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
  });
}
