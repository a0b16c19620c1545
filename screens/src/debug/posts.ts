/** What the page changes at the operator's listener. */
import { ownProblem, problemOf, type Result } from "../house/problems";
import { messages } from "../messages/messages";

interface Boot {
  /** Null where the page was opened by the bearer token, which needs none. */
  csrfToken: string | null;
}

const boot = JSON.parse(document.getElementById("debug-boot")?.textContent ?? "{}") as Boot;

export async function post(path: string): Promise<Result<null>> {
  try {
    const answer = await fetch(path, { method: "POST", headers: { "X-CSRF-Token": boot.csrfToken ?? "" } });
    return answer.ok ? { ok: true, answer: null } : { ok: false, problem: await problemOf(answer) };
  } catch {
    return { ok: false, problem: ownProblem("no_connection", messages.problems.noConnection) };
  }
}
