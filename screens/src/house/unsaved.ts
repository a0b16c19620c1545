/** Work that would be lost by leaving: each form says for itself whether it has any. */
const forms = new Set<() => boolean>();

/** Count *isDirty* in until the returned function is called. */
export function watchUnsaved(isDirty: () => boolean): () => void {
  forms.add(isDirty);
  return () => forms.delete(isDirty);
}

export function hasUnsavedWork(): boolean {
  return [...forms].some((isDirty) => isDirty());
}

window.addEventListener("beforeunload", (event) => {
  if (hasUnsavedWork()) event.preventDefault();
});
