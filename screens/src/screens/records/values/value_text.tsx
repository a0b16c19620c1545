/** A value as it is shown: in a cell, on a card, on a record's page. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { to } from "../../../house/address";
import { records as words } from "../../../messages/en/records";
import { Avatar } from "../../../parts/avatar";
import { Icon } from "../../../parts/icon";
import { Foreign } from "../../../parts/texts";
import { type Property, type Shown, toneOfChoice } from "./properties";
import { textOf } from "./writing";
import "../../../styles/values.css";

/** Whether links in values are reached by Tab. A grid has its own keys, and would have hundreds of them. */
export const LinksByTab = createContext(false);

interface ValueTextProps {
  property: Property;
  record: Shown;
  /** Without links: where all of it is one already. */
  bare?: boolean;
}

/** Nothing where there is no value. */
export function ValueText({ property, record, bare = false }: ValueTextProps) {
  const value = record.properties[property.slug];
  if (value === undefined || value === null || value === "") return null;
  const text = textOf(property, record);
  switch (property.type) {
    case "select":
      return <ChoiceText property={property} choice={text} />;
    case "multi_select":
      return (
        <span class="choices">
          {(Array.isArray(value) ? value : [value]).map((choice) => (
            <ChoiceText key={String(choice)} property={property} choice={String(choice)} />
          ))}
        </span>
      );
    case "boolean":
      return value === true ? <Icon name="check" label={words.yes} /> : <span class="soft">{words.no}</span>;
    case "date":
    case "datetime":
      return <time dateTime={String(value)}>{text}</time>;
    case "email":
      return <Leading href={bare ? undefined : `mailto:${text}`} text={text} />;
    case "phone":
      return <Leading href={bare ? undefined : `tel:${text}`} text={text} />;
    case "url":
      return <Leading href={bare ? undefined : text} text={text.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "")} outside />;
    case "picture":
      return <Picture value={text} bare={bare} />;
    case "relation":
      return (
        <span class="value-who">
          <Avatar name={text} of={property.options[0] === "contact" ? "person" : "organization"} />
          <Leading href={bare ? undefined : to(`/app/records/${property.options[0]}/${String(value)}`)} text={text} />
        </span>
      );
    case "member":
      return (
        <span class="value-who">
          <Avatar name={text} />
          <Foreign>{text}</Foreign>
        </span>
      );
    case "number":
    case "amount":
    case "duration":
      return <>{text}</>;
    default:
      return <Foreign>{text}</Foreign>;
  }
}

/** Whether it is shown as text and nothing else: a cell needs no elements for it. */
export const isPlain = ({ type }: Property): boolean => /text|number|amount|duration|date/.test(type);

/** A choice, with a dot in its own colour. */
export function ChoiceText({ property, choice }: { property: Property; choice: string }) {
  return (
    <span class="choice" data-tone={toneOfChoice(property, choice)}>
      <Foreign>{choice}</Foreign>
    </span>
  );
}

function Leading({ href, text, outside = false }: { href: string | undefined; text: string; outside?: boolean }) {
  const isReached = useContext(LinksByTab);
  if (href === undefined || (outside && !/^https?:/.test(href))) return <Foreign>{text}</Foreign>;
  return (
    <a
      class="value-link"
      href={href}
      {...(!isReached && { tabIndex: -1 })}
      {...(outside && { target: "_blank", rel: "noopener noreferrer" })}
    >
      <Foreign>{text}</Foreign>
    </a>
  );
}

/** One from elsewhere is not loaded into the page: its host would hear who looks at whom. */
function Picture({ value, bare }: { value: string; bare: boolean }) {
  if (!/^https?:/.test(value)) {
    return (
      <span class="value-who">
        <Icon name="image" /> {words.uploaded}
      </span>
    );
  }
  return (
    <span class="value-who">
      <Icon name="image" />
      <Leading href={bare ? undefined : value} text={URL.canParse(value) ? new URL(value).host : value} outside />
    </span>
  );
}
