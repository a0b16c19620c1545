/** One's own sessions: where one is signed in, and how to end that. */
import { useEffect, useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { useAct } from "../../house/acts";
import type { Problem } from "../../house/problems";
import { send } from "../../house/requests";
import { toast } from "../../house/toasts";
import { waysIn } from "../../messages/en/ways_in";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { ErrorBox, Skeleton } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Badge, Foreign, RelativeTime } from "../../parts/texts";
import { browserOf } from "./browsers";

const words = waysIn.sessions;

interface OpenSession {
  id: string;
  createdAt: string;
  seenAt: string;
  userAgent: string;
  lastAddress: string | null;
  current: boolean;
}

export default function Sessions() {
  const [sessions, setSessions] = useState<OpenSession[]>();
  const [problem, setProblem] = useState<Problem | null>(null);
  const load = async () => {
    const result = await send<{ sessions: OpenSession[] }>("/app/api/sessions", { method: "GET" });
    if (result.ok) setSessions(result.answer.sessions);
    setProblem(result.ok ? null : result.problem);
  };
  useEffect(() => void load(), []);
  const end = useAct(async (id: string) => {
    const result = await send("/app/api/sessions/revoke", { body: { id } });
    if (result.ok) await load();
    return result;
  });
  const endOne = async (session: OpenSession) => {
    await end.run(session.id);
    toast(say(words.ended, { browser: browserOf(session.userAgent) }));
  };
  const endOthers = async () => {
    const act = () => send("/app/api/sessions/revoke", { body: { id: "others" } });
    if (await ask({ title: words.endOthersTitle, body: words.endOthersBody, confirm: words.endOthers, danger: true, act })) {
      toast(words.othersEnded);
      await load();
    }
  };
  return (
    <Page
      title={words.title}
      crumbs={[messages.sections.account]}
      about={words.about}
      wide
      actions={sessions && sessions.length > 1 && <Button onClick={() => void endOthers()}>{words.endOthers}</Button>}
    >
      <ErrorBox problem={end.problem} />
      <Table
        label={words.title}
        rows={sessions}
        problem={problem}
        again={() => void load()}
        idOf={(session) => session.id}
        nameOf={(session) => browserOf(session.userAgent)}
        empty={<Skeleton lines={1} />}
        columns={[
          {
            key: "browser",
            label: words.browser,
            width: "38%",
            cell: (session) => (
              <span class="with-badge" title={session.userAgent}>
                <Foreign>{browserOf(session.userAgent)}</Foreign> {session.current && <Badge kind="good">{words.current}</Badge>}
              </span>
            ),
          },
          {
            key: "address",
            label: words.address,
            width: "22%",
            phone: "plain",
            cell: (session) =>
              session.lastAddress && (
                <code class="soft" dir="ltr">
                  {session.lastAddress}
                </code>
              ),
          },
          { key: "seen", label: words.seen, cell: (session) => <RelativeTime at={session.seenAt} /> },
          { key: "in", label: words.signedIn, cell: (session) => <RelativeTime at={session.createdAt} /> },
        ]}
        actions={(session) =>
          !session.current && (
            <Button small busy={end.busy} onClick={() => void endOne(session)}>
              {words.end}
            </Button>
          )
        }
      />
    </Page>
  );
}
