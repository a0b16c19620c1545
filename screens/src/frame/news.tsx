/** How much is new, in the window's title: also on screens whose navigation does not show it. */
import { useEffect } from "preact/hooks";
import type { PlaceCount } from "../places";
import { placesOf } from "./match";
import { countText, useCount } from "./place_link";
import { news } from "./title";

export function NewsInTitle() {
  return <>{placesOf("work").map(({ path, count }) => count?.inTitle && <News key={path} of={count} />)}</>;
}

function News({ of }: { of: PlaceCount }) {
  const n = useCount(of);
  useEffect(() => {
    news.value = n === 0 ? "" : countText(n);
    return () => {
      news.value = "";
    };
  }, [n]);
  return null;
}
