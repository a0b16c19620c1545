/** What a link is for, asked before anything is typed. The link stays unused, and its token in the request's body. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../../house/problems";
import { send } from "../../house/requests";
import { waysIn } from "../../messages/en/ways_in";
import { LinkButton } from "../../parts/button";
import { ErrorBox, Skeleton } from "../../parts/states";
import { Card } from "./card";

export type InvitationLink = {
  kind: "invitation";
  organization: { id: string; name: string };
  role: string;
  email: string;
  /** Null where the operator invites. */
  invitedBy: string | null;
  expiresAt: string;
};
export type SignInLink = { kind: "signIn"; name: string; email: string; organizations: string[] };
export type AccountLink = { kind: "account"; purpose: "reset" | "proof" | "address"; name: string; email: string };
type Link = InvitationLink | SignInLink | AccountLink | { kind: "firstOwner" };

const words = waysIn.link;

interface ForLinkProps<K extends Link["kind"]> {
  token: string;
  kind: K;
  /** What stands on top until it is known. */
  title: string;
  /** What stands there instead of a link that does not work any more. */
  gone: ComponentChildren;
  children: (link: Extract<Link, { kind: K }>) => ComponentChildren;
}

/** Shows *children* of what the link of *token* is for, or *gone* where it does not work any more. */
export function ForLink<K extends Link["kind"]>({ token, kind, title, gone, children }: ForLinkProps<K>) {
  const [link, setLink] = useState<Link | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const look = async () => {
    setProblem(null);
    const found = await send<Link>("/app/api/link", { body: { token } });
    if (found.ok) setLink(found.answer);
    else setProblem(found.problem);
  };
  useEffect(() => {
    if (token) void look();
  }, []);
  const isOther = link !== null && link.kind !== kind;
  if (!token || isOther || problem?.code === "not_found" || problem?.code === "forbidden") return gone;
  if (problem) {
    return (
      <Card title={title}>
        <ErrorBox problem={problem} again={() => void look()} />
      </Card>
    );
  }
  if (!link) {
    return (
      <Card title={title}>
        <Skeleton lines={2} />
      </Card>
    );
  }
  return children(link as Extract<Link, { kind: K }>); // Another kind is `isOther`.
}

/** A link that does not work any more: why that may be, and where to go on. */
export function Gone({ title = words.goneTitle, body, href = "/app/sign-in", go = words.toSignIn }: GoneProps) {
  return (
    <Card title={title} about={body}>
      <LinkButton href={href} look="solid">
        {go}
      </LinkButton>
    </Card>
  );
}

interface GoneProps {
  title?: string;
  body: string;
  href?: string;
  go?: string;
}
