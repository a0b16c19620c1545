/** Light, dark, or as the system is: kept in this browser. */
import { signal } from "@preact/signals";

const NAME = "svc-theme";
export type Theme = "system" | "light" | "dark";

export const theme = signal<Theme>((localStorage.getItem(NAME) as Theme | null) ?? "system");

export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === "system") localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, chosen);
  showTheme();
}

export function showTheme(): void {
  if (theme.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}
