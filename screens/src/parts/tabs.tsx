import { address, parameter, to } from "../house/address";

export interface Tab {
  /** The value of the parameter; empty for the first. */
  value: string;
  label: string;
  count?: string;
  /** The parameter of this one alone, where it is another one. */
  name?: string;
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
  const names = [name, ...tabs.map((tab) => tab.name ?? name)];
  const others = Object.fromEntries(new URLSearchParams(address.value.search));
  for (const one of [...names, "open"]) delete others[one];
  const isChosen = (tab: Tab) => (tab.value ? parameter(tab.name ?? name) === tab.value : !names.some(parameter));
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a
          key={tab.value}
          href={to(at ?? address.value.path, { ...others, [tab.name ?? name]: tab.value })}
          aria-current={isChosen(tab) ? "true" : undefined}
        >
          {tab.label}
          {tab.count !== undefined && <span class="count">{tab.count}</span>}
        </a>
      ))}
    </nav>
  );
}
