/** Settings › Teams: members who work together. */
import { useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { useAct } from "../../house/acts";
import { parameter, setParameters, to } from "../../house/address";
import { may } from "../../house/boot";
import { formatNumber } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { toastWithUndo } from "../../house/undo";
import { teams as words } from "../../messages/en/people";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { useMaking } from "../../parts/making";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Foreign } from "../../parts/texts";

type Team = Answer<"team.list">["teams"][number];

export default function Teams() {
  const { answer, problem, query } = useAnswer("team.list", {});
  const mayChange = may("settings");
  const making = useMaking(words.create, { may: mayChange });
  const changing = answer?.teams.find((team) => team.id === parameter("edit"));
  return (
    <Page title={words.title} crumbs={[messages.nav.settings]} about={words.about} actions={making.button} wide>
      <Table
        label={words.title}
        rows={answer?.teams}
        problem={problem}
        again={() => void query.again()}
        idOf={(team) => team.id}
        nameOf={(team) => team.name}
        hrefOf={(team) => to("/app/settings/members", { team: team.id })}
        empty={
          <Empty icon="users" title={words.emptyTitle} action={making.button}>
            {words.emptyBody}
          </Empty>
        }
        columns={[
          { key: "name", label: words.name, width: "60%", cell: (team) => <Foreign>{team.name}</Foreign> },
          { key: "members", label: words.members, width: "16%", align: "end", cell: (team) => formatNumber(team.memberCount) },
        ]}
        {...(mayChange && {
          actions: (team: Team) => (
            <Button small onClick={() => setParameters({ edit: team.id })}>
              {words.rename}
            </Button>
          ),
        })}
      />
      {making.isOpen && <TeamDialog onClose={making.close} />}
      {mayChange && changing && <TeamDialog key={changing.id} team={changing} onClose={making.close} />}
    </Page>
  );
}

/** Makes a team, or renames *team*. */
function TeamDialog({ team, onClose }: { team?: Team; onClose: () => void }) {
  const [name, setName] = useState(team?.name ?? "");
  const act = useAct(async () => {
    const result = team ? await write("team.update", { id: team.id, name }) : await write("team.create", { name });
    if (!result.ok) return result;
    if (team) toastWithUndo(say(words.renamed, { name: result.answer.name }), () => write("team.update", { id: team.id, name: team.name }));
    else toast(say(words.made, { name: result.answer.name }));
    onClose();
    return result;
  });
  return (
    <FormDialog title={team ? words.rename : words.create} act={act} submit={team ? messages.common.save : words.make} onClose={onClose}>
      <TextField label={words.name} pointer="/name" value={name} onValue={setName} max={200} autoFocus />
    </FormDialog>
  );
}
