/** A card of a board: it is dragged, moved by keys, or sent to a column by its menu. */
import { to } from "../../../house/address";
import { records as words } from "../../../messages/en/records";
import { recordsLater as later } from "../../../messages/en/records_later";
import { say } from "../../../messages/messages";
import { Icon } from "../../../parts/icon";
import { Menu } from "../../../parts/menu";
import { Foreign } from "../../../parts/texts";
import { type Property, type RecordLine, titleOf } from "../values/properties";
import { ValueText } from "../values/value_text";
import "../../../styles/records.css";

export const CARD_HEIGHT = 104;
export const CARD_TYPE = "application/x-svc-card";
const SHOWN_MAX = 3;

export const cardElementId = (id: string): string => `card-${id}`;

interface CardProps {
  record: RecordLine;
  at: number;
  by: Property;
  properties: readonly Property[];
  choices: readonly (string | null)[];
  canWrite: boolean;
  onMove: (record: RecordLine, choice: string | null) => void;
}

export function Card({ record, at, by, properties, choices, canWrite, onMove }: CardProps) {
  const name = titleOf(record, properties);
  const filled = properties
    .filter((property) => property !== by && property.type !== "long_text" && record.properties[property.slug] != null)
    .filter(({ slug }) => slug !== "name")
    .slice(0, SHOWN_MAX);
  return (
    <li style={{ transform: `translateY(${at * CARD_HEIGHT}px)` }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: by keys, its link is moved. */}
      <div
        class="board-card"
        draggable={canWrite}
        onDragStart={(event) => {
          event.dataTransfer?.setData(CARD_TYPE, record.id);
          if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
        }}
      >
        <header>
          <a
            id={cardElementId(record.id)}
            data-card={record.id}
            href={to(`/app/records/${record.objectType}/${record.id}`)}
            draggable={false}
            aria-keyshortcuts={canWrite ? "Alt+ArrowLeft Alt+ArrowRight" : undefined}
            title={canWrite ? later.board.hint : undefined}
          >
            <Foreign>{name}</Foreign>
          </a>
          {canWrite && (
            <Menu
              label={say(later.board.move, { name })}
              class="button button-quiet button-icon button-small"
              items={[
                choices.map((choice) => ({
                  label: choice ?? words.none,
                  checked: (record.properties[by.slug] ?? null) === choice,
                  run: () => onMove(record, choice),
                })),
              ]}
            >
              <Icon name="ellipsis" size={14} />
            </Menu>
          )}
        </header>
        {filled.map((property) => (
          <div key={property.slug} class={property.type === "amount" ? "board-amount" : "board-value"}>
            <ValueText property={property} record={record} bare />
          </div>
        ))}
      </div>
    </li>
  );
}
