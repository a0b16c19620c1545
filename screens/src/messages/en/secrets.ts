/** Words of secrets that are shown once. */
export const secrets = {
  title: "Copy it now",
  body: "It is shown this once. Keep it where the program that uses it finds it; nobody can look it up again.",
  keepIt: "I have copied it",
} as const;
