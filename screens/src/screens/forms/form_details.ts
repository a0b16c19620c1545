/** A form with its settings, its mapping and what came in last. */
import type { Answer } from "../../house/tools";

export type FormDetails = Answer<"form.get">;
