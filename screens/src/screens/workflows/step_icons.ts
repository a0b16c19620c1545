import type { IconName } from "../../parts/icon_names";
import type { StepType } from "./model";

/** What stands for each kind of step. */
export const ICONS: Record<StepType, IconName> = {
  create_deal: "handshake",
  create_record: "plus",
  update_record: "pencil",
  add_note: "file-text",
  assign: "user",
  reply: "mail",
  call_webhook: "upload",
  wait: "history",
  branch: "git-merge",
  approval: "circle-check",
  stop: "circle-dashed",
};
