import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { showFragment } from "../house/fragment";
import "../styles/embeds.css";

interface FragmentProps {
  html: string;
  width: number;
  /** What stands for a picture whose address is a path of the page. */
  ownSite: string;
  label: string;
}

/** *html* of an embed, *width* pixels wide, made smaller where there is less room. */
export function Fragment({ html, width, ownSite, label }: FragmentProps) {
  const pane = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(width);
  useLayoutEffect(() => {
    if (host.current) showFragment(host.current, html, ownSite);
  }, [html, ownSite]);
  useEffect(() => {
    if (!pane.current) return undefined;
    const watch = new ResizeObserver(([entry]) => entry && setRoom(entry.contentRect.width));
    watch.observe(pane.current);
    return () => watch.disconnect();
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <div class="visitors-pane" ref={pane} tabIndex={0} role="group" aria-label={label}>
      <div class="visitors-host" ref={host} style={{ inlineSize: `${width}px`, zoom: Math.min(1, room / width) }} />
    </div>
  );
}
