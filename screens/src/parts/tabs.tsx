import { address, parameter, to } from "../house/address";

export interface Tab {
  /** The value of the parameter; empty for the first. */
  value: string;
  label: string;
  count?: string;
}

interface TabsProps {
  name?: string;
  tabs: readonly Tab[];
  label: string;
  /** The path that they are of, where a panel's path is below it. */
  at?: string;
}

/** Tabs and filters that are links: which one is chosen stands in the address, under *name*. */
export function Tabs({ name = "tab", tabs, label, at }: TabsProps) {
  const chosen = parameter(name) ?? "";
  const others = Object.fromEntries(new URLSearchParams(address.value.search));
  delete others["open"];
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ value, label: text, count }) => (
        <a key={value} href={to(at ?? address.value.path, { ...others, [name]: value })} aria-current={value === chosen ? "true" : undefined}>
          {text}
          {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
