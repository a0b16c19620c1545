import type { ComponentChildren } from "preact";
import type { Act } from "../house/acts";
import { messages } from "../messages/messages";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Form } from "./form";

interface FormDialogProps {
  title: string;
  act: Act<[], unknown>;
  /** What the button says that does it. */
  submit: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Whether there is something to lose; as soon as something was typed, where it is not said. */
  dirty?: boolean | "typed";
  disabled?: boolean;
}

/** A form in a dialog: its fields, *Cancel*, and the button that does it. */
export function FormDialog({ title, act, submit, onClose, children, dirty = "typed", disabled = false }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form act={act} dirty={dirty}>
        {children}
        <footer>
          <Button onClick={onClose}>{messages.common.cancel}</Button>
          <Button type="submit" look="solid" busy={act.busy} disabled={disabled}>
            {submit}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
