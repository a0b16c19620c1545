/** The list of connections, the dialog that makes one, and the panel of the one that is open. */
import { Page } from "../../frame/page";
import { parameter, setParameters, to } from "../../house/address";
import { formatNumber } from "../../house/formats";
import { useList } from "../../house/lists";
import type { Input } from "../../house/tools";
import { messengers as words } from "../../messages/en/messengers";
import { Avatar } from "../../parts/avatar";
import { useFound } from "../../parts/filter";
import { Icon } from "../../parts/icon";
import { later } from "../../parts/later";
import { useMaking } from "../../parts/making";
import { Empty } from "../../parts/states";
import type { Column } from "../../parts/table/column";
import { Table } from "../../parts/table/table";
import { Foreign, RelativeTime } from "../../parts/texts";
import { accountName, type Connection, type Names, StateBadge } from "./connection";
import "../../styles/home.css"; // Of the dialog and the panel, which are loaded later.
import "../../styles/webhooks.css";

const Connect = later(async () => (await import("./connect")).Connect);
const ConnectionPanel = later(async () => (await import("./panel")).ConnectionPanel);
const NOUNS = ["connection", "conversation"];
const COUNT_MAX = 999; // More are told as "999+": the service stops counting a little above.

interface ListingProps {
  path: string;
  crumb: string;
  about: string;
  which: Omit<Input<"connection.list">, "limit" | "cursor">;
  /** Of teams and members whose accounts are among them. */
  names: Names;
  /** Only the person's own accounts. */
  isOwn?: boolean;
}

export function Listing({ path, crumb, about, which, names, isOwn = false }: ListingProps) {
  const open = parameter("open");
  const list = useList("connection.list", "connections", which, NOUNS);
  const making = useMaking(words.connect);
  const nameOf = (of: Connection) => `${of.name} ${words.kinds[of.messenger]} ${accountName(of.account, names)}`;
  const { rows, search, none } = useFound(words.search, list.rows, nameOf, list);
  return (
    <Page
      title={words.title}
      crumbs={[crumb]}
      about={about}
      actions={making.button}
      wide
      panel={open && <ConnectionPanel isWanted key={open} id={open} names={names} onClose={() => setParameters({ open: null })} />}
    >
      {search}
      <Table
        label={words.title}
        rows={rows}
        problem={list.problem}
        again={list.again}
        idOf={(of) => of.id}
        nameOf={(of) => of.name}
        hrefOf={(of) => to(path, { open: of.id, q: parameter("q") })}
        openId={open}
        hasMore={list.hasMore}
        more={list.more}
        columns={columns(names, { isOwn, isOpen: open !== null })}
        empty={
          none ?? (
            <Empty icon="message-circle" title={isOwn ? words.ownEmptyTitle : words.emptyTitle} action={making.button}>
              {isOwn ? words.ownEmptyBody : words.emptyBody}
            </Empty>
          )
        }
      />
      <p class="links">
        <a href="/docs/bridges" target="_blank" rel="noopener">
          <Icon name="external-link" /> {words.guide}
        </a>
      </p>
      <Connect isWanted={making.isOpen} isOwn={isOwn} onClose={making.close} />
    </Page>
  );
}

function columns(names: Names, { isOwn, isOpen }: { isOwn: boolean; isOpen: boolean }): readonly Column<Connection>[] {
  const name: Column<Connection> = {
    key: "name",
    label: words.name,
    width: isOpen ? "55%" : "30%",
    cell: (of) => (
      <span class="with-avatar">
        <Avatar name={words.kinds[of.messenger]} />
        <span class="two-lines">
          <Foreign>{of.name}</Foreign>
          <span class="soft">{words.kinds[of.messenger]}</span>
        </span>
      </span>
    ),
  };
  const state: Column<Connection> = {
    key: "state",
    label: words.state,
    width: isOpen ? "45%" : "14%",
    phone: "side",
    cell: (of) => <StateBadge state={of.state} />,
  };
  if (isOpen) return [name, state];
  const account: Column<Connection> = {
    key: "account",
    label: words.account,
    phone: "plain",
    cell: (of) => <Foreign>{accountName(of.account, names)}</Foreign>,
  };
  return [
    name,
    state,
    ...(isOwn ? [] : [account]),
    { key: "delivery", label: words.columns.delivery, width: "16%", phone: "hidden", cell: (of) => words.deliveries[of.delivery] },
    {
      key: "called",
      label: words.lastCall,
      width: "13%",
      phone: "plain",
      cell: (of) => <RelativeTime at={of.lastCallAt} never={words.noCall} />,
    },
    {
      key: "waiting",
      label: words.columns.waiting,
      width: "10%",
      align: "end",
      phone: "line",
      cell: (of) => <Waiting count={of.repliesWaiting} />,
    },
  ];
}

function Waiting({ count }: { count: number }) {
  if (count === 0) return <span class="soft">0</span>;
  return <strong class="lit">{count > COUNT_MAX ? `${formatNumber(COUNT_MAX)}+` : formatNumber(count)}</strong>;
}
