/** What is shown where a list or a record could not be read. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { to } from "../house/address";
import { organization } from "../house/boot";
import type { Problem } from "../house/problems";
import { messages } from "../messages/messages";
import { Button, LinkButton } from "./button";
import type { IconName } from "./icon_names";
import { Empty, ErrorBox } from "./states";

const words = messages.pages;

interface Said {
  icon: IconName;
  title: string;
  body: ComponentChildren;
  action: ComponentChildren;
  /** Something went wrong, where else there is only nothing to show. */
  failed?: boolean;
}

/** One thing to say, in the middle of where content would be; *page*: there is nothing else on the page. */
export function Notice({ icon, title, body, action, failed = false, page = false }: Said & { page?: boolean }) {
  useEffect(() => {
    if (page) document.title = [title, organization?.name].filter(Boolean).join(" · ");
  }, [title, page]);
  return (
    <div class={failed ? "notice notice-failed" : "notice"}>
      <Empty icon={icon} title={title} action={action} level={page ? 1 : 2}>
        {body}
      </Empty>
    </div>
  );
}

/** Says why there is no content, and offers to ask again; *page*: the whole screen is missing. `Table` shows it by itself. */
export function Failure({ problem, again, page = false }: { problem: Problem; again: () => void; page?: boolean }) {
  const action = <Button onClick={again}>{messages.problems.tryAgain}</Button>;
  if (problem.code === "not_found") {
    return (
      <Notice
        page={page}
        icon="search"
        title={words.notFound}
        body={words.notFoundBody}
        action={<LinkButton href={to("/app/")}>{words.toStart}</LinkButton>}
      />
    );
  }
  if (problem.code === "no_connection")
    return <Notice page={page} failed icon="wifi-off" title={words.noConnection} body={words.noConnectionBody} action={action} />;
  if (problem.code === "internal" && problem.requestId) {
    const body = (
      <>
        {words.failedBody} <code>{problem.requestId}</code>
      </>
    );
    return <Notice page={page} failed icon="triangle-alert" title={words.failed} body={body} action={action} />;
  }
  return <ErrorBox problem={problem} again={again} />;
}
