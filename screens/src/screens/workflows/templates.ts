/** Workflows that are often needed, of what every organization has: built-in objects, and triggers without a choice. */
import { workflow_templates as words } from "../../messages/en/workflow_templates";
import { forked, type WorkflowDocument } from "./model";

export interface Template {
  key: keyof typeof words;
  document: WorkflowDocument;
}

const day = 86_400;

const of = (key: keyof typeof words, document: Omit<WorkflowDocument, "name">): Template => ({
  key,
  document: { name: words[key].name, ...document },
});

export const TEMPLATES: readonly Template[] = [
  of("deal", {
    trigger: { type: "submitted a form" },
    conditions: [],
    steps: [
      { type: "create_deal", key: "deal", name: words.deal.dealName },
      { type: "add_note", key: "note", record: "{{steps.deal.recordId}}", body: words.deal.note },
    ],
  }),
  of("followUp", {
    trigger: { type: "submitted a form" },
    conditions: [],
    steps: [
      { type: "wait", key: "wait", seconds: 2 * day },
      { type: "add_note", key: "remind", body: words.followUp.note },
    ],
  }),
  of("changed", {
    trigger: { type: "record.updated", objectType: "contact", properties: ["email", "phone"] },
    conditions: [],
    steps: [{ type: "add_note", key: "note", body: words.changed.note }],
  }),
  of("won", {
    trigger: { type: "record.updated", objectType: "deal", properties: ["stage"] },
    conditions: [{ property: "stage", op: "eq", value: "Won" }],
    steps: [
      { type: "add_note", key: "note", body: words.won.note },
      { type: "wait", key: "wait", seconds: 30 * day },
      { type: "add_note", key: "ask", body: words.won.later },
    ],
  }),
  of("approval", {
    trigger: { type: "record.created", objectType: "deal" },
    conditions: [{ property: "amount", op: "gte", value: 10_000 }],
    steps: [
      forked(
        { type: "approval", key: "ask", reason: words.approval.reason },
        [{ type: "add_note", key: "yes", body: words.approval.yes }],
        [{ type: "add_note", key: "no", body: words.approval.no }],
      ),
    ],
  }),
  of("receipt", {
    trigger: { type: "message.received" },
    conditions: [],
    steps: [{ type: "reply", key: "reply", text: words.receipt.text }],
  }),
  of("unknown", {
    trigger: { type: "message.received" },
    conditions: [{ property: "name", op: "is_empty" }],
    steps: [{ type: "reply", key: "ask", text: words.unknown.text }],
  }),
  of("company", {
    trigger: { type: "record.created", objectType: "company" },
    conditions: [],
    steps: [{ type: "add_note", key: "todo", title: words.company.title, body: words.company.note }],
  }),
  of("silent", {
    trigger: { type: "record.created", objectType: "deal" },
    conditions: [],
    steps: [
      {
        type: "wait",
        key: "wait",
        event: "record.updated",
        where: [{ property: "record.id", op: "eq", value: "{{record.id}}" }],
        seconds: 7 * day,
      },
      forked({ type: "branch", key: "silent", conditions: [{ property: "steps.wait.event.id", op: "is_empty" }] }, [
        { type: "add_note", key: "remind", body: words.silent.note },
      ]),
    ],
  }),
  of("monthly", {
    trigger: { type: "schedule", cron: "0 9 1 * *" },
    conditions: [],
    steps: [{ type: "create_record", key: "task", objectType: "deal", properties: { name: words.monthly.dealName } }],
  }),
];
