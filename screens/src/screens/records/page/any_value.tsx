/** A value by itself, without the record that it is of: relations and members are named by looking them up. */
import { useAnswer } from "../../../house/queries";
import { recordPage } from "../../../messages/en/record_page";
import { RecordLink } from "../../../parts/record_link";
import { Foreign } from "../../../parts/texts";
import { currencySlug, type Property } from "../values/properties";
import { ValueText } from "../values/value_text";

interface AnyValueProps {
  /** Undefined of one that is deleted by now. */
  property: Property | undefined;
  value: unknown;
  /** Of an amount. */
  currency?: unknown;
  /** Said where there is no value. */
  empty: string;
  /** Without links: where it stands in something that is clicked. */
  bare?: boolean;
}

export function AnyValue({ property, value, currency, empty, bare = false }: AnyValueProps) {
  if (value === null || value === undefined || value === "") return <span class="soft">{empty}</span>;
  if (!property) return <Foreign>{String(value)}</Foreign>;
  if (property.type === "relation" && typeof value === "string") return <RecordLink id={value} bare={bare} />;
  if (property.type === "member" && typeof value === "string") return <MemberName id={value} />;
  const properties = { [property.slug]: value, ...(typeof currency === "string" && { [currencySlug(property)]: currency }) };
  return <ValueText property={property} record={{ properties }} bare />;
}

function MemberName({ id }: { id: string }) {
  const member = useAnswer("member.list", { limit: 200 }).answer?.members.find((one) => one.id === id);
  return <Foreign>{member ? member.name || member.email : recordPage.who.unknown}</Foreign>;
}
