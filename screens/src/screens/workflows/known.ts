/** What pickers offer: the vocabulary of workflows, the organization's objects and forms, and who there is. */
import { useEffect, useMemo } from "preact/hooks";
import { may } from "../../house/boot";
import { queryOf, useAnswer } from "../../house/queries";
import type { Answer, Input, Reads } from "../../house/tools";
import { PEOPLE, WORKFLOW_PARTS } from "../../questions";
import type { Model } from "./model";
import { type Known, objectsIn } from "./scope";

type Named = readonly { id: string; name: string }[];

export interface Choices {
  known: Known | undefined;
  members: Named;
  teams: Named;
  forms: Named;
  webhooks: Named;
  connections: Named;
}

/** The answer of a tool that the person may call, else nothing. */
function useOptional<N extends Reads>(name: N, input: Input<N>, isWanted: boolean): Answer<N> | undefined {
  const query = useMemo(() => (isWanted ? queryOf(name, input) : null), [name, isWanted]);
  useEffect(() => query?.hold(), [query]);
  return query?.state.value.answer;
}

/** The answers of one tool to several questions, those that are there. */
function useEach<N extends Reads>(name: N, inputs: readonly Input<N>[]): Answer<N>[] {
  const queries = useMemo(() => inputs.map((input) => queryOf(name, input)), [JSON.stringify(inputs)]);
  useEffect(() => {
    const ends = queries.map((query) => query.hold());
    return () => {
      for (const end of ends) end();
    };
  }, [queries]);
  return queries.flatMap((query) => query.state.value.answer ?? []);
}

/** Of any form, the fields of so many are offered. */
const FORMS_LOOKED_AT = 5;

export function useChoices(model: Model): Choices {
  const vocabulary = useAnswer("workflow.trigger_list", WORKFLOW_PARTS.input).answer;
  const objects = useOptional("object.list", {}, may("records.read"))?.objects;
  const members = useAnswer("member.list", PEOPLE.input).answer?.members ?? [];
  const teams = useAnswer("team.list", {}).answer?.teams ?? [];
  const forms = useOptional("form.list", {}, may("forms"))?.forms ?? [];
  const webhooks = useOptional("webhook.list", {}, may("webhooks"))?.webhooks ?? [];
  const connections = useOptional("connection.list", {}, may("channels"))?.connections ?? [];
  const properties = useEach(
    "object.get",
    (may("records.read")
      ? objectsIn(
          model,
          vocabulary,
          (objects ?? []).map(({ slug }) => slug),
        )
      : []
    ).map((objectType) => ({ objectType })),
  );
  const { trigger } = model.facts;
  const isForm = trigger.type === "submitted a form" && may("forms");
  const formIds = isForm ? (trigger.formId ? [trigger.formId] : forms.map(({ id }) => id).slice(0, FORMS_LOOKED_AT)) : [];
  const looked = useEach(
    "form.get",
    formIds.map((id) => ({ id })),
  );
  const fields = [
    ...new Set(looked.flatMap(({ fieldsSeen, fieldMap }) => [...fieldsSeen.map(({ name }) => name), ...Object.keys(fieldMap)])),
  ];
  const names = new Map((objects ?? []).map(({ slug, label }) => [slug, label]));
  return {
    known: vocabulary && { vocabulary, objects: new Map(properties.map((object) => [object.slug, object])), names, fields },
    members: members.map(({ id, name, email }) => ({ id, name: name || email })),
    teams,
    forms,
    webhooks: webhooks.map(({ id, name, url }) => ({ id, name: name ?? url })),
    connections,
  };
}
