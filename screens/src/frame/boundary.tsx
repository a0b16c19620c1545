/** The page for a fault of this program. */
import type { ComponentChildren } from "preact";
import { Component } from "preact";
import { messages } from "../messages/messages";
import { Button } from "../parts/button";
import { Notice } from "../parts/failure";

const words = messages.pages;

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
        page
        failed
        icon="triangle-alert"
        title={words.failed}
        body={String(this.state.error)}
        action={<Button onClick={() => location.reload()}>{messages.problems.tryAgain}</Button>}
      />
    );
  }
}
