import type { ComponentChildren } from "preact";
import { parameter, setParameters } from "../house/address";
import { useKeys } from "../house/keys";
import { Button } from "./button";

interface Making {
  /** Opens the dialog; nothing where the person may not. */
  button: ComponentChildren;
  isOpen: boolean;
  close: () => void;
}

/** How a thing of a list is made: by a button or `C`, in a dialog that stands in the address as `?new=1`. */
export function useMaking(label: string, { may = true, disabled = false }: { may?: boolean; disabled?: boolean } = {}): Making {
  const open = () => setParameters({ new: "1" });
  useKeys(may ? [{ key: "c", label, run: open }] : []);
  const button = may && (
    <Button look="solid" icon="plus" onClick={open} disabled={disabled}>
      {label}
    </Button>
  );
  return { button, isOpen: may && parameter("new") !== null, close: () => setParameters({ new: null, edit: null }, { replace: true }) };
}
