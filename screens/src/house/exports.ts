/** Jobs that write a list to a file: followed until they end, whatever cannot be asked meanwhile. */
import { type Answer, read } from "./tools";

export type ExportJob = Answer<"export.get">;

/** Between two looks: a job writes ten thousand rows in less. */
const LOOK_MS = 700;

/** The job once it has ended. *seen* is told how far it is, and says whether to look on; if not, null. */
export async function followed(job: ExportJob, seen: (job: ExportJob) => boolean): Promise<ExportJob | null> {
  let now = job;
  while (now.state === "waiting" || now.state === "running") {
    if (!seen(now)) return null;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const looked = await read("export.get", { id: job.id });
    // What could not be asked just now is asked again: the job goes on meanwhile.
    if (looked.ok) now = looked.answer;
  }
  return now;
}
