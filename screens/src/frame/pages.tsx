/** Pages for when there is no screen to show: nothing there, no right to it, a failure, no connection. */
import type { ComponentChildren } from "preact";
import { Component } from "preact";
import { to } from "../house/address";
import { organization, type Permission } from "../house/boot";
import type { Problem } from "../house/problems";
import { messages, say } from "../messages/messages";
import { Button, LinkButton } from "../parts/button";
import type { IconName } from "../parts/icon_names";
import { Empty, ErrorBox } from "../parts/states";
import { startOf } from "./match";
import { Page } from "./page";

const words = messages.pages;

interface Said {
  icon: IconName;
  title: string;
  body: ComponentChildren;
  action: ComponentChildren;
}

function Notice({ icon, title, body, action }: Said) {
  return (
    <div class="notice">
      <Empty icon={icon} title={title} action={action}>
        {body}
      </Empty>
    </div>
  );
}

export function NotFound() {
  return (
    <Page title={words.notFound}>
      <p>{words.notFoundBody}</p>
      <LinkButton href={to(startOf())}>{words.toStart}</LinkButton>
    </Page>
  );
}

/** The person's role lacks *permission*: says so, and who can give it. */
export function NoRight({ permission }: { permission: Permission }) {
  const body = say(words.noRightBody, {
    permission: messages.permissions[permission],
    organization: organization?.name ?? "",
  });
  return <Notice icon="lock" title={words.noRight} body={body} action={<LinkButton href={to(startOf())}>{words.toStart}</LinkButton>} />;
}

/** What a list or a record could not be read for. A screen shows it where its content would be. */
export function Failure({ problem, again }: { problem: Problem; again: () => void }) {
  const action = <Button onClick={again}>{messages.problems.tryAgain}</Button>;
  if (problem.code === "not_found") {
    return <Notice icon="search" title={words.notFound} body={words.notFoundBody} action={<LinkButton href={to(startOf())}>{words.toStart}</LinkButton>} />;
  }
  if (problem.code === "no_connection") return <Notice icon="wifi-off" title={words.noConnection} body={words.noConnectionBody} action={action} />;
  if (problem.code === "internal" && problem.requestId) {
    const body = (
      <>
        {words.failedBody} <code>{problem.requestId}</code>
      </>
    );
    return <Notice icon="triangle-alert" title={words.failed} body={body} action={action} />;
  }
  return <ErrorBox problem={problem} again={again} />;
}

/** Shows what a screen threw instead of a blank page: a fault of this program. */
export class Boundary extends Component<{ children: ComponentChildren; of: string }, { error: unknown; of: string }> {
  override state: { error: unknown; of: string } = { error: null, of: this.props.of };

  static override getDerivedStateFromProps(props: { of: string }, state: { of: string }) {
    return props.of === state.of ? null : { error: null, of: props.of };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error });
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <Notice
        icon="triangle-alert"
        title={words.failed}
        body={String(this.state.error)}
        action={<Button onClick={() => location.reload()}>{messages.problems.tryAgain}</Button>}
      />
    );
  }
}
