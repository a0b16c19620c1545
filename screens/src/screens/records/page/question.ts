import type { Input } from "../../../house/tools";
import type { RecordDetails } from "./shapes";

/** What the page asks of a record: as `RECORD` of the table `questions.ts` has it, in its order. */
export function recordQuestion({ objectType, id }: Pick<RecordDetails, "objectType" | "id">): Input<"record.get"> {
  return { objectType, id, texts: true };
}
