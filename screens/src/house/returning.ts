/** Moments at which what could not be reached may be there again. */
const AGAIN_MS = 5_000;

/** Run *again* when the connection or the person is back, and every 5 seconds, until the returned function is called. */
export function whenBack(again: () => void): () => void {
  const ifSeen = () => document.visibilityState === "visible" && again();
  const timer = window.setInterval(ifSeen, AGAIN_MS);
  window.addEventListener("online", again);
  window.addEventListener("focus", again);
  document.addEventListener("visibilitychange", ifSeen);
  return () => {
    clearInterval(timer);
    window.removeEventListener("online", again);
    window.removeEventListener("focus", again);
    document.removeEventListener("visibilitychange", ifSeen);
  };
}
