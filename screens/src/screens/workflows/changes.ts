/** What differs between two documents, in words. */
import { workflows as words } from "../../messages/en/workflows";
import { say } from "../../messages/messages";
import { differenceOf, type WorkflowDocument } from "./model";

export function changesInWords(before: WorkflowDocument, after: WorkflowDocument): string[] {
  const said = words.changes;
  const { facts, added, changed, removed, isReordered } = differenceOf(before, after);
  return [
    ...facts.map((name) => said[name]),
    ...(added.length > 0 ? [say(said.added, { n: added.length })] : []),
    ...(changed.length > 0 ? [say(said.changed, { n: changed.length })] : []),
    ...(removed.length > 0 ? [say(said.removed, { n: removed.length })] : []),
    ...(isReordered ? [said.order] : []),
  ];
}
