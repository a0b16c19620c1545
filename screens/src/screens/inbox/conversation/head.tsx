/** The head of a conversation: who it is with, by which messenger, who looks after it, and what can be done with it. */
import { to } from "../../../house/address";
import { session } from "../../../house/boot";
import { formatDateTime } from "../../../house/formats";
import { toast } from "../../../house/toasts";
import type { Answer } from "../../../house/tools";
import { inbox as words } from "../../../messages/en/inbox";
import { say } from "../../../messages/messages";
import { Avatar } from "../../../parts/avatar";
import { Button } from "../../../parts/button";
import { Icon } from "../../../parts/icon";
import { Menu, type MenuItem } from "../../../parts/menu";
import { Foreign } from "../../../parts/texts";
import { type ConversationDetails, isMe, type Member, messengerOf, nameOf } from "../shapes";
import { assign, handBack, reopen, snooze } from "./acts";
import { snoozeChoices } from "./snooze";
import "../../../styles/inbox.css";

type Team = Answer<"team.list">["teams"][number];

interface HeadProps {
  conversation: ConversationDetails;
  members: readonly Member[];
  teams: readonly Team[];
  backTo: string;
  contactIsOpen: boolean;
  onContact: () => void;
  onClose: () => void;
  onSnooze: (until: string) => void;
  onOtherDay: () => void;
  onMerge: () => void;
}

export function Head(props: HeadProps) {
  const { conversation, backTo, contactIsOpen, onContact, onClose } = props;
  const { connectionName, status, snoozedUntil } = conversation;
  const name = nameOf(conversation);
  return (
    <header class="conversation-head">
      <span class="conversation-back">
        <a class="button button-quiet button-icon" href={backTo} aria-label={words.back} title={words.back}>
          <Icon name="arrow-left" />
        </a>
      </span>
      <div class="conversation-name">
        <h2 tabIndex={-1} id="conversation">
          <Foreign>{name}</Foreign>
        </h2>
        <span class="soft one-line">
          {messengerOf(conversation)} · <Foreign>{connectionName}</Foreign>
        </span>
      </div>
      <div class="conversation-actions">
        <Assignee {...props} />
        {status === "closed" ? (
          <Button small onClick={() => void reopen(conversation)}>
            {words.reopen}
          </Button>
        ) : (
          <>
            {snoozedUntil === null ? (
              <Menu label={words.snooze} items={[snoozeItems(props)]}>
                <Icon name="clock" />
              </Menu>
            ) : (
              <Button small icon="clock" onClick={() => void snooze(conversation, null)}>
                <span class="button-words">{words.wake}</span>
              </Button>
            )}
            <Button small icon="check" onClick={onClose}>
              <span class="button-words">{words.close}</span>
            </Button>
          </>
        )}
        <Button
          look="quiet"
          icon="panel-right"
          label={contactIsOpen ? words.hideDetails : words.details}
          pressed={contactIsOpen}
          onClick={onContact}
        />
        <Menu label={words.more} items={moreItems(props)}>
          <Icon name="ellipsis" />
        </Menu>
      </div>
      {snoozedUntil !== null && (
        <p class="conversation-line">
          <Icon name="clock" size={14} /> {say(words.snoozed, { when: formatDateTime(snoozedUntil) })}
        </p>
      )}
      {status === "closed" && <p class="conversation-line">{words.closedLine}</p>}
    </header>
  );
}

function snoozeItems({ onSnooze, onOtherDay }: HeadProps): MenuItem[] {
  return [
    ...snoozeChoices().map(({ key, until }) => ({ label: words.snoozeTo[key], run: () => onSnooze(until) })),
    { label: words.snoozeTo.day, run: onOtherDay },
  ];
}

function moreItems({ conversation, onMerge }: HeadProps): MenuItem[][] {
  const copy = async () => {
    await navigator.clipboard.writeText(new URL(to(`/app/inbox/${conversation.id}`), location.href).href);
    toast(words.linkCopied);
  };
  const handing: MenuItem[] =
    conversation.agent === "silenced" && conversation.kind === "direct"
      ? [{ label: words.handBack, icon: "sparkles", run: () => void handBack(conversation) }]
      : [];
  return [
    [{ label: words.copyLink, icon: "link", run: () => void copy() }],
    [{ label: words.merge, icon: "git-merge", run: onMerge }, ...handing],
  ];
}

/** Who looks after it: a member, a team, or nobody yet. */
function Assignee({ conversation, members, teams }: HeadProps) {
  const { memberId, teamId } = conversation;
  const own = session.value?.person.id ?? "";
  const member = members.find(({ id }) => id === memberId);
  const team = teams.find(({ id }) => id === teamId);
  const name = member ? (isMe(member.id) ? words.you : member.name || member.email) : (team?.name ?? null);
  const active = members.filter(({ status, id }) => status === "active" && id !== own);
  const ofMember = ({ id, name: called, email }: Member): MenuItem => ({
    label: called || email,
    checked: id === memberId,
    run: () => void assign(conversation, { memberId: id }, called || email),
  });
  const items: MenuItem[][] = [
    [
      { label: words.assignToMe, checked: memberId === own, run: () => void assign(conversation, { memberId: own }, words.you) },
      {
        label: words.nobody,
        checked: memberId === null && teamId === null,
        run: () => void assign(conversation, { memberId: null, teamId: null }, null),
      },
    ],
    ...(active.length > 0 ? [active.map(ofMember)] : []),
    ...(teams.length > 0
      ? [
          teams.map((one) => ({
            label: one.name,
            checked: one.id === teamId,
            run: () => void assign(conversation, { teamId: one.id }, one.name),
          })),
        ]
      : []),
  ];
  const titles = { 1: active.length > 0 ? words.members : words.teams, 2: words.teams };
  return (
    <Menu
      label={name === null ? words.assign : say(words.assignedTo, { name })}
      class="button button-quiet button-small assignee"
      items={items}
      titles={titles}
    >
      {name === null ? <Icon name="user-plus" /> : <Avatar name={member?.name || name} of={member ? "person" : "organization"} />}
      <span class="button-words one-line">{name === null ? words.assign : <Foreign>{name}</Foreign>}</span>
    </Menu>
  );
}
