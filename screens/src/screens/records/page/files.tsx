/** The files that a record uses. */
import { may } from "../../../house/boot";
import { formatBytes } from "../../../house/formats";
import { useList } from "../../../house/lists";
import { toast } from "../../../house/toasts";
import { type Answer, write } from "../../../house/tools";
import { recordPage } from "../../../messages/en/record_page";
import { say } from "../../../messages/messages";
import { ask } from "../../../parts/dialog";
import { Failure } from "../../../parts/failure";
import { Icon } from "../../../parts/icon";
import { Menu } from "../../../parts/menu";
import { Skeleton } from "../../../parts/states";
import { Foreign, RelativeTime } from "../../../parts/texts";
import "../../../styles/record_page.css";

const words = recordPage.files;
type File = Answer<"file.list">["files"][number];

export function Files({ recordId }: { recordId: string }) {
  const list = useList("file.list", "files", { usedBy: recordId }, ["file", "record"]);
  return (
    <section class="record-files" aria-labelledby="files">
      <h2 id="files">{words.title}</h2>
      {list.problem && !list.rows ? (
        <Failure problem={list.problem} again={list.again} />
      ) : !list.rows ? (
        <Skeleton lines={1} height={32} />
      ) : list.rows.length === 0 ? (
        <p class="soft record-none">{words.noneBody}</p>
      ) : (
        <ul class="file-list">
          {list.rows.map((file) => (
            <FileLine key={file.id} file={file} />
          ))}
        </ul>
      )}
    </section>
  );
}

function FileLine({ file }: { file: File }) {
  const { name, address, size, createdAt } = file;
  const remove = async () => {
    const act = () => write("file.remove", { id: file.id });
    const title = say(words.removeTitle, { file: name });
    if (await ask({ title, body: words.removeBody, confirm: words.remove, danger: true, act })) toast(say(words.removed, { file: name }));
  };
  return (
    <li>
      <Icon name={file.mediaType.startsWith("image/") ? "image" : "file-text"} />
      <span class="two-lines">
        {address ? (
          <a href={address} target="_blank" rel="noopener noreferrer">
            <Foreign>{name}</Foreign>
          </a>
        ) : (
          <Foreign>{name}</Foreign>
        )}
        <span class="soft">
          {formatBytes(size)} · <RelativeTime at={createdAt} />
        </span>
      </span>
      {may("records.write") && (
        <Menu
          label={say(words.actions, { file: name })}
          items={[[{ label: words.remove, icon: "trash-2", danger: true, run: () => void remove() }]]}
        >
          <Icon name="ellipsis" />
        </Menu>
      )}
    </li>
  );
}
