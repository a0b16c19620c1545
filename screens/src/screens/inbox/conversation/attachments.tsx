/**
 * What came beside a message. Pictures that the service keeps are shown; all else is downloaded, never opened here. What
 * is only an address elsewhere is named by its host, and nothing is loaded from there unless somebody goes there.
 */
import { useEffect, useState } from "preact/hooks";
import { organization } from "../../../house/boot";
import { formatBytes } from "../../../house/formats";
import { download } from "../../../house/requests";
import { toast } from "../../../house/toasts";
import { inbox as words } from "../../../messages/en/inbox";
import { inboxLater } from "../../../messages/en/inbox_later";
import { say } from "../../../messages/messages";
import { Icon } from "../../../parts/icon";
import type { IconName } from "../../../parts/icon_names";
import { Foreign } from "../../../parts/texts";
import type { Attachment } from "../shapes";
import "../../../styles/inbox.css";

/** Media types that the door of files lets a browser show: they can hold no script. */
const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

const ICONS: Readonly<Record<Attachment["kind"], IconName>> = {
  image: "image",
  video: "file-text",
  audio: "file-text",
  voice: "file-text",
  file: "file-text",
  location: "globe",
  contact: "book-user",
  sticker: "image",
};

export function Attachments({ of: attachments }: { of: readonly Attachment[] }) {
  return (
    <ul class="attachments">
      {attachments.map((attachment, at) => (
        <li key={attachment.fileId ?? at}>
          <One attachment={attachment} />
        </li>
      ))}
    </ul>
  );
}

const pathOf = (fileId: string): string => `/app/api/files/${fileId}?org=${organization?.id ?? ""}`;

function One({ attachment }: { attachment: Attachment }) {
  const { kind, url, fileId, mimeType } = attachment;
  if (fileId !== null) {
    return mimeType !== null && PICTURES.has(mimeType) ? (
      <Picture attachment={attachment} fileId={fileId} />
    ) : (
      <File attachment={attachment} fileId={fileId} />
    );
  }
  const host = url === null ? null : hostOf(url);
  const told = kind === "location" ? placeIn(attachment.data) : null;
  return (
    <span class="attachment">
      <Icon name={ICONS[kind]} />
      <span class="two-lines">
        <span>{attachment.name ? <Foreign>{attachment.name}</Foreign> : words.kinds[kind]}</span>
        {told && (
          <span class="soft">
            <Foreign>{say(inboxLater.location, { at: told })}</Foreign>
          </span>
        )}
        {url !== null && host !== null && (
          <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={say(inboxLater.remote, { host })}>
            <Foreign>{say(inboxLater.showRemote, { host })}</Foreign> <Icon name="external-link" size={14} />
          </a>
        )}
      </span>
    </span>
  );
}

/** A picture of the service's own, which leads to itself at its full size. */
function Picture({ attachment: { name, kind }, fileId }: { attachment: Attachment; fileId: string }) {
  const [isGone, setGone] = useState(false);
  useEffect(() => setGone(false), [fileId]);
  if (isGone) return <span class="attachment soft">{words.kinds[kind]}</span>;
  return (
    <a class="attachment-picture" href={pathOf(fileId)} target="_blank" rel="noopener noreferrer">
      <img src={pathOf(fileId)} alt={name ?? words.kinds[kind]} loading="lazy" onError={() => setGone(true)} />
    </a>
  );
}

function File({ attachment: { kind, name, size }, fileId }: { attachment: Attachment; fileId: string }) {
  const title = name ?? words.kinds[kind];
  const save = async () => {
    const result = await download(pathOf(fileId), title);
    if (!result.ok) toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
  };
  return (
    <button type="button" class="attachment" onClick={() => void save()}>
      <Icon name={ICONS[kind]} />
      <span class="two-lines">
        <Foreign>{title}</Foreign>
        {size !== null && <span class="soft">{formatBytes(size)}</span>}
      </span>
      <Icon name="download" />
    </button>
  );
}

/** The host of an address that a browser may be sent to; null for any other. */
function hostOf(url: string): string | null {
  try {
    const { protocol, host } = new URL(url);
    return protocol === "https:" || protocol === "http:" ? host : null;
  } catch {
    return null;
  }
}

function placeIn(data: unknown): string | null {
  const { latitude, longitude } = (data ?? {}) as { latitude?: unknown; longitude?: unknown };
  return typeof latitude === "number" && typeof longitude === "number" ? `${latitude}, ${longitude}` : null;
}
