/** Words of what two people changed at once. */
export const clashes = {
  title: "Somebody else has changed this meanwhile",
  now: "{name} is now “{value}”",
  theirs: "Take theirs",
  mine: "Keep mine",
} as const;
