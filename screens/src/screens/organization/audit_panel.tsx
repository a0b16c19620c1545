/** One entry of the trail with all that it says; what it names leads to the entries about the same. */
import { formatFullTime } from "../../house/formats";
import { audit as words } from "../../messages/en/people";
import { Panel } from "../../parts/panel";
import { Empty, Skeleton } from "../../parts/states";
import { Badge, Foreign } from "../../parts/texts";
import { auditHref, callerOf, type Entry } from "./audit_entries";
import { TargetLink } from "./audit_target";

interface AuditPanelProps {
  id: string;
  entry: Entry | undefined;
  isLooking: boolean;
  nameOf: (id: string) => string;
  onClose: () => void;
}

export function AuditPanel({ id, entry, isLooking, nameOf, onClose }: AuditPanelProps) {
  return (
    <Panel title={entry?.action ?? ""} of={id} onClose={onClose}>
      {entry ? (
        <Facts entry={entry} nameOf={nameOf} />
      ) : isLooking ? (
        <Skeleton lines={6} height={28} />
      ) : (
        <Empty icon="history" title={words.gone} />
      )}
    </Panel>
  );
}

function Facts({ entry, nameOf }: { entry: Entry; nameOf: (id: string) => string }) {
  const { at, outcome, reason, door, target, callerId, requestId, askedBy } = entry;
  return (
    <dl class="facts">
      <dt>{words.at}</dt>
      <dd>
        <time dateTime={at}>{formatFullTime(at)}</time>
      </dd>
      <dt>{words.outcome}</dt>
      <dd>
        <Badge kind={outcome === "done" ? "good" : "bad"}>{words.outcomes[outcome]}</Badge>
      </dd>
      {reason && (
        <>
          <dt>{words.reason}</dt>
          <dd>
            <code>{reason}</code>
          </dd>
        </>
      )}
      <dt>{words.by}</dt>
      <dd>
        <Foreign>{callerOf(entry, nameOf)}</Foreign>
      </dd>
      <dt>{words.caller}</dt>
      <dd>
        <a href={auditHref({ caller: callerId })}>
          <code>{callerId}</code>
        </a>
      </dd>
      <dt>{words.door}</dt>
      <dd>{words.doors[door]}</dd>
      {target && (
        <>
          <dt>{words.target}</dt>
          <dd>
            <a href={auditHref({ target })}>
              <code>{target}</code>
            </a>
            <TargetLink of={entry} />
          </dd>
        </>
      )}
      {askedBy && (
        <>
          <dt>{words.askedBy}</dt>
          <dd>
            <Foreign>
              {Object.entries(askedBy)
                .map(([key, value]) => `${key}: ${value}`)
                .join("\n")}
            </Foreign>
          </dd>
        </>
      )}
      {requestId && (
        <>
          <dt>{words.request}</dt>
          <dd>
            <code>{requestId}</code>
          </dd>
        </>
      )}
    </dl>
  );
}
