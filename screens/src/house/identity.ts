/** Who is at the screen: signing in again and confirming it, in dialogs that the frame shows. */
import { signal } from "@preact/signals";
import { address, leaveFor } from "./address";
import { type Session, session } from "./boot";
import { send } from "./requests";
import { hasUnsavedWork } from "./unsaved";

interface Waiting {
  kind: "confirm" | "sign-in";
  /** Answers all calls that wait for the dialog: whether it was done. */
  done: (done: boolean) => void;
}

/** The dialog that is open, if one is. */
export const identityDialog = signal<Waiting | null>(null);
let outcome: Promise<boolean> | null = null;

function open(kind: Waiting["kind"]): Promise<boolean> {
  outcome ??= new Promise<boolean>((resolve) => {
    identityDialog.value = {
      kind,
      done: (done) => {
        identityDialog.value = null;
        outcome = null;
        resolve(done);
      },
    };
  });
  return outcome;
}

/** Ask for the password once more; false when the person rather not. */
export function confirmIdentity(): Promise<boolean> {
  return open("confirm");
}

/** After a session has ended: sign in over the page where work would be lost, else at the sign-in screen. */
export function signInAgain(): Promise<boolean> {
  if (session.value && hasUnsavedWork()) return open("sign-in");
  leaveFor(signInAddress());
  return new Promise(() => {}); // The page is being left.
}

/**
 * After a refusal: the person may have signed in anew in another tab, whose session this page knows nothing of.
 * True where it was the same person, so that the call can be made again; another person gets a new page.
 */
export async function takeNewerSession(): Promise<boolean> {
  const before = session.value;
  const now = await send<Session>("/app/api/session", { method: "GET" });
  if (!before || !now.ok || now.answer.csrfToken === before.csrfToken) return false;
  if (now.answer.person.id !== before.person.id) {
    if (!hasUnsavedWork()) leaveFor(location.href);
    return false;
  }
  session.value = now.answer;
  return true;
}

/** The sign-in screen, which leads back to where the person is. */
export function signInAddress(): string {
  const here = address.value.path + address.value.search;
  return here === "/app/" || here.startsWith("/app/sign-in") ? "/app/sign-in" : `/app/sign-in?next=${encodeURIComponent(here)}`;
}
