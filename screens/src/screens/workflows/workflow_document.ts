import type { Answer } from "../../house/tools";
import type { WorkflowDocument } from "./model";

/** The document of a workflow, as it is sent back. */
export const documentIn = ({
  name,
  trigger,
  conditions,
  steps,
}: Pick<Answer<"workflow.get">, "name" | "trigger" | "conditions" | "steps">): WorkflowDocument => ({ name, trigger, conditions, steps });
