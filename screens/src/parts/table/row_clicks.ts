/** A click in a row is one on its link; marking a text in it is none. */

const OWN = "a, button, input, select, label, summary, [role=menu]";

/** Lead a click in a row to where the row's link leads, with the keys that were held. */
export function followRow(event: MouseEvent): void {
  const target = event.target as Element;
  const row = target.closest("tr");
  const selection = getSelection();
  if (!row || event.button !== 0) return;
  // A click by keys has no detail.
  if (event.detail > 0 && selection && !selection.isCollapsed && selection.containsNode(row, true)) {
    if (target.closest("a[data-row]")) event.preventDefault();
    return;
  }
  if (target.closest(OWN)) return;
  const { ctrlKey, metaKey, shiftKey, altKey } = event;
  const click = new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey, altKey });
  row.querySelector("a[data-row]")?.dispatchEvent(click);
}
