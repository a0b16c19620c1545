/** What a screen shows instead of its content: nothing yet, nothing at all, or what went wrong. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Problem } from "../house/problems";
import { messages, say } from "../messages/messages";
import { Button } from "./button";
import { Icon } from "./icon";
import type { IconName } from "./icon_names";

/** Lines of the size of what comes, below the head of a table or of a page. The style sheet shows them after 150 ms. */
export function Skeleton({ lines = 6, height = 44, head }: { lines?: number; height?: number; head?: "rows" | "page" }) {
  return (
    <div class={head ? `skeleton skeleton-${head}` : "skeleton"} role="status" aria-label={messages.common.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} style={{ blockSize: `${height}px` }}>
          <span style={{ inlineSize: `${38 + ((line * 29) % 45)}%` }} />
        </div>
      ))}
    </div>
  );
}

/** There is nothing yet: what it is for, and the one next step. */
export function Empty({
  icon,
  title,
  children,
  action,
  level = 2,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
  /** 1 where it is all that the page has. */
  level?: 1 | 2;
}) {
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

interface ErrorBoxProps {
  problem: Problem | null;
  again?: () => void;
  /** Pointers that fields of the form show already. */
  claimed?: ReadonlySet<string>;
}

/** A problem on top of what it is about, with focus. It says nothing that a field says already. */
export function ErrorBox({ problem, again, claimed }: ErrorBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const rest = problem?.faults.filter((fault) => !isClaimed(fault.pointer, claimed)) ?? [];
  const isShown = problem !== null && problem.code !== "stopped" && (problem.faults.length === 0 || rest.length > 0);
  useEffect(() => {
    if (isShown) box.current?.focus();
  }, [problem, isShown]);
  if (!isShown) return null;
  const { title, detail, requestId, retryAfterSeconds } = problem;
  return (
    <div class="error-box" role="alert" tabIndex={-1} ref={box}>
      <Icon name="circle-alert" />
      <div>
        <strong>{title}</strong>
        {rest.length > 0 ? (
          <ul>
            {rest.map((fault) => (
              <li key={fault.pointer}>
                {fault.pointer && <code>{fault.pointer}</code>} {fault.detail}
              </li>
            ))}
          </ul>
        ) : (
          detail && <p>{sentence(detail)}</p>
        )}
        {retryAfterSeconds !== null && <p>{say(messages.problems.retryIn, { n: retryAfterSeconds })}</p>}
        {requestId && problem.code === "internal" && <p class="soft">{say(messages.problems.request, { id: requestId })}</p>}
        {again && (
          <Button small onClick={again}>
            {messages.problems.tryAgain}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Problems are written without a capital and a full stop; a screen shows sentences. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

function isClaimed(pointer: string, claimed: ReadonlySet<string> | undefined): boolean {
  return [...(claimed ?? [])].some((claim) => pointer === claim || pointer.startsWith(`${claim}/`));
}
