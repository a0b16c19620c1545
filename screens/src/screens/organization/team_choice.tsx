import { members as words } from "../../messages/en/people";
import { Foreign } from "../../parts/texts";

interface TeamChoiceProps {
  teams: readonly { id: string; name: string }[];
  chosen: readonly string[];
  onChosen: (chosen: readonly string[]) => void;
  disabled?: boolean;
}

/** The teams that a member is in, or will be in. */
export function TeamChoice({ teams, chosen, onChosen, disabled = false }: TeamChoiceProps) {
  return (
    <fieldset class="field">
      <legend>{words.teams}</legend>
      <div class="checks">
        {teams.map(({ id, name }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              disabled={disabled}
              onChange={() => onChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])}
            />
            <Foreign>{name}</Foreign>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
