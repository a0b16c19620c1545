/** What something is called, by its id; the id itself where it is not there. */
export const nameIn = (all: readonly { id: string; name: string }[], id: string) => all.find((one) => one.id === id)?.name ?? id;
