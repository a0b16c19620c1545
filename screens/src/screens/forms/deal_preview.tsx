import { useEffect, useState } from "preact/hooks";
import { read } from "../../house/tools";
import { forms as words } from "../../messages/en/forms";
import { Foreign } from "../../parts/texts";

const PAUSE_MS = 300;

/** The title that the last submission would give its deal, by a template that is not saved yet. */
export function DealPreview({ formId, template }: { formId: string; template: string }) {
  const [title, setTitle] = useState<string | null | undefined>();
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const result = await read("form.get", { id: formId, ...(template && { dealTitle: template }) }, stop.signal);
      if (result.ok) setTitle(result.answer.dealTitlePreview);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [formId, template]);
  if (title === undefined) return null;
  return (
    <p class="preview" role="status">
      <span class="soft">{title === null ? words.settings.noPreview : words.settings.preview}</span>
      {title !== null && (
        <strong>
          <Foreign>{title}</Foreign>
        </strong>
      )}
    </p>
  );
}
