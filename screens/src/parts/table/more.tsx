/** The end of a list that goes on: asks for more than the *count* rows that are there when it comes near the window. */
import { useEffect, useRef } from "preact/hooks";
import { messages } from "../../messages/messages";

export function More({ count, more }: { count: number; more: (() => void) | undefined }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!end.current || !more) return undefined;
    const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && more(), { rootMargin: "600px" });
    seen.observe(end.current);
    return () => seen.disconnect();
  }, [more, count]);
  return (
    <div ref={end} class="table-more" role="status">
      {messages.table.loadingMore}
    </div>
  );
}
