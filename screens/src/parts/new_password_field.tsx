/** The password that somebody chooses, wherever they do: with the same label, hint and rule for the browser. */
import { waysIn } from "../messages/en/ways_in";
import { PasswordField } from "./field";

interface NewPasswordFieldProps {
  value: string;
  onValue: (value: string) => void;
  autoFocus?: boolean;
}

export function NewPasswordField({ value, onValue, autoFocus = false }: NewPasswordFieldProps) {
  return (
    <PasswordField
      label={waysIn.newPassword}
      hint={waysIn.passwordHint}
      pointer="/password"
      value={value}
      onValue={onValue}
      autoComplete="new-password"
      autoFocus={autoFocus}
    />
  );
}
