/** Pages for when there is no screen to show: nothing there, no right to it, a fault of this program. */
import type { ComponentChildren } from "preact";
import { Component } from "preact";
import { leaveFor, to } from "../house/address";
import { organization, type Permission, session } from "../house/boot";
import { messages, say } from "../messages/messages";
import { Button, LinkButton } from "../parts/button";
import { Notice } from "../parts/failure";
import { startOf } from "./match";

const words = messages.pages;

export function NotFound() {
  return <Notice icon="search" title={words.notFound} body={words.notFoundBody} action={<LinkButton href={to(startOf())}>{words.toStart}</LinkButton>} />;
}

/** The address names an organization in which the person is not, or they are in none. */
export function NoOrganization() {
  const { person, organizations = [] } = session.value ?? {};
  return (
    <main class="way-in" id="content">
      <div class="card-way-in">
        <h1>{words.noOrganization}</h1>
        <p class="soft">{words.noOrganizationBody}</p>
        <div class="stack">
          {organizations.map(({ id, name }) => (
            <Button key={id} onClick={() => leaveFor(id === person?.homeOrganizationId ? "/app/" : `/app/?org=${id}`)}>
              <bdi>{name}</bdi>
            </Button>
          ))}
        </div>
      </div>
    </main>
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
        failed
        icon="triangle-alert"
        title={words.failed}
        body={String(this.state.error)}
        action={<Button onClick={() => location.reload()}>{messages.problems.tryAgain}</Button>}
      />
    );
  }
}
