/** A picture from one's own machine, as the value of a property. */
import { useRef } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { send } from "../../../house/requests";
import { recordPage } from "../../../messages/en/record_page";
import { Button } from "../../../parts/button";
import { ErrorBox } from "../../../parts/states";

const words = recordPage.files;

export function Upload({ onUploaded }: { onUploaded: (fileId: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const act = useAct(async (file: File) => {
    const headers = { "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}` };
    const result = await send<{ fileId: string }>("/app/api/files", { bytes: await file.arrayBuffer(), headers });
    if (result.ok) onUploaded(result.answer.fileId);
    return result;
  });
  return (
    <>
      <Button look="quiet" small icon="upload" busy={act.busy} onClick={() => input.current?.click()}>
        {words.upload}
      </Button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        class="hidden"
        tabIndex={-1}
        aria-label={words.upload}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = "";
          if (file) void act.run(file);
        }}
      />
      <ErrorBox problem={act.problem} />
    </>
  );
}
