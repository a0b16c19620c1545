/** Components that are not needed to draw a screen: they are fetched while it is drawn, and stand in it as soon as they are there. */
import { signal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { useEffect } from "preact/hooks";

interface When {
  isWanted: boolean;
  /** Shown while it is wanted and still on its way. */
  meanwhile?: VNode | null;
  /** Called once it is drawn. */
  onThere?: () => void;
}

/**
 * A component in a module of its own, fetched beside the screen that has it, or not *ahead* but when it is wanted;
 * `isWanted` draws it as soon as it is there.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, { ahead = true } = {}): ComponentType<P & When> {
  const loaded = signal<ComponentType<P> | null>(null);
  const fetchOnce = async () => {
    try {
      loaded.value ??= await load();
    } catch {
      // Without a connection it is fetched when it is wanted next.
    }
  };
  if (ahead) void fetchOnce();
  return function Later({ isWanted, meanwhile = null, onThere, ...props }: P & When) {
    useEffect(() => void (isWanted && fetchOnce()), [isWanted]);
    const Component = loaded.value;
    const isThere = isWanted && Component !== null;
    useEffect(() => void (isThere && onThere?.()), [isThere]);
    if (!isWanted) return null;
    // What is left of the properties are those of the component.
    return Component ? <Component {...(props as unknown as P)} /> : meanwhile;
  };
}
