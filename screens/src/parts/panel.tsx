import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../house/keys";
import { messages } from "../messages/messages";
import { Button } from "./button";

interface PanelProps {
  title: ComponentChildren;
  children: ComponentChildren;
  actions?: ComponentChildren;
  onClose: () => void;
  /** What is shown: another one begins at its top. */
  of: string;
}

/** What a row of the list beside it is about; on a phone it covers the list. `Esc` closes it. */
export function Panel({ title, children, actions, onClose, of }: PanelProps) {
  const body = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useKeys([{ key: "Escape", label: messages.keys.escape, run: onClose }]);
  useEffect(() => {
    body.current?.scrollTo(0, 0);
    if (matchMedia("(max-width: 60rem)").matches) heading.current?.focus();
  }, [of]);
  return (
    <aside class="panel" aria-label={typeof title === "string" ? title : undefined}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {actions}
        <Button look="quiet" icon="x" label={messages.common.close} onClick={onClose} />
      </header>
      <div class="panel-body" ref={body}>
        {children}
      </div>
    </aside>
  );
}
