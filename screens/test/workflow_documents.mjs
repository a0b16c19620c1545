/**
 * Reads documents of workflows, one a line, and writes what the editor makes of each: the document as it would be
 * saved, and as it would be after each step was moved down and up again.
 */
import { createInterface } from "node:readline";
import { documentOf, modelOf, moved, placed } from "../src/screens/workflows/model";

for await (const line of createInterface({ input: process.stdin })) {
  const model = modelOf(JSON.parse(line));
  const back = placed(model.steps).map(({ node: { id } }) => {
    const down = moved(model.steps, id, 1);
    const isMoved = JSON.stringify(documentOf({ ...model, steps: down })) !== JSON.stringify(documentOf(model));
    const steps = isMoved ? moved(down, id, -1) : down;
    return documentOf({ ...model, steps });
  });
  process.stdout.write(`${JSON.stringify({ saved: documentOf(model), back, count: placed(model.steps).length })}\n`);
}
