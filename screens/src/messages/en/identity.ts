/** Words of the dialog that asks who is there. */
export const identity = {
  confirmTitle: "Confirm that it is you",
  confirmBody: "You signed in more than two hours ago. Give your password once more; what you typed stays.",
  confirm: "Confirm",
  again: "Sign in again",
  againBody: "Your session has ended. Sign in to go on: what you typed here stays.",
  password: "Password",
  otherAccount: "Sign in with another account",
} as const;
