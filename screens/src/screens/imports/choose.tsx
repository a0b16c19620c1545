/** The file to import: chosen, or dropped. */
import { useRef, useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { setParameters } from "../../house/address";
import { useKeys } from "../../house/keys";
import type { Result } from "../../house/problems";
import { nounChanged } from "../../house/queries";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import { ask } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { ErrorBox } from "../../parts/states";
import { begin, type Import, nameOf } from "./upload";
import "../../styles/imports.css";

const BYTES_MAX = 2 ** 31;
const said = words.choose;

/** Why *file* cannot be taken, as far as that is seen without reading it. */
function faultOf(file: File, goOn: Import | undefined): string | null {
  if (file.size === 0) return say(said.empty, { file: file.name });
  if (file.size > BYTES_MAX) return say(said.tooLarge, { file: file.name });
  const isAnother = goOn !== undefined && (goOn.bytes !== file.size || goOn.name !== nameOf(file));
  return isAnother ? say(said.another, { file: file.name, wanted: goOn.name }) : null;
}

interface ChooseProps {
  objectType: string;
  /** The import whose upload was broken off: its file is asked for again. */
  goOn?: Import;
}

/** Choosing begins the upload, and leads to its import. */
export function Choose({ objectType, goOn }: ChooseProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const act = useAct(async (file: File): Promise<Result<Import>> => {
    let result = await begin(objectType, file);
    if (result.ok && result.answer.endedAt !== null) {
      const isAgain = await ask({ title: say(said.againTitle, { file: file.name }), body: said.againBody, confirm: said.again });
      if (isAgain) result = await begin(objectType, file, true);
    }
    if (result.ok) setParameters({ import: result.answer.id }, { replace: true });
    else nounChanged("import"); // Another may be open, which is shown then.
    return result;
  });
  const take = (file: File | undefined) => {
    if (!file) return;
    const wrong = faultOf(file, goOn);
    setFault(wrong);
    if (!wrong) void act.run(file);
  };
  useKeys([{ key: "c", label: said.button, run: () => input.current?.click() }]);
  return (
    <div class="stack">
      <ErrorBox problem={act.problem} />
      <label
        class="drop"
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files[0]);
        }}
      >
        <Icon name="upload" size={22} />
        <span>
          <strong>{said.button}</strong> {said.or}
        </span>
        <input
          ref={input}
          class="hidden"
          type="file"
          accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json,text/csv"
          aria-label={said.button}
          aria-describedby="drop-hint"
          aria-busy={act.busy || undefined}
          aria-invalid={fault ? "true" : undefined}
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = ""; // So that the same file, mended, may be chosen again.
          }}
        />
        <span class="field-hint" id="drop-hint">
          {said.hint}
        </span>
        {fault && (
          <span class="field-fault" role="alert">
            <bdi>{fault}</bdi>
          </span>
        )}
      </label>
    </div>
  );
}
