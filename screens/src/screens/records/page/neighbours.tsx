/** Leads to the records before and after, of the list that one came from: by its arrows, by `J` and `K`. */
import { go, to } from "../../../house/address";
import { useKeys } from "../../../house/keys";
import { recordPage as words } from "../../../messages/en/record_page";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { placeInList } from "./order";
import "../../../styles/record_page.css";

export function Neighbours({ objectType, id }: { objectType: string; id: string }) {
  const place = placeInList(objectType, id);
  const show = (other: string | undefined) => other && void go(to(`/app/records/${objectType}/${other}`), { replace: true });
  useKeys(
    place
      ? [
          { key: "j", label: words.next, run: () => show(place.next) },
          { key: "k", label: words.previous, run: () => show(place.previous) },
        ]
      : [],
  );
  if (!place) return null;
  return (
    <span class="row record-neighbours">
      <span class="soft">{say(words.place, { at: place.at + 1, n: place.count })}</span>
      <Button look="quiet" icon="arrow-up" label={words.previous} disabled={!place.previous} onClick={() => show(place.previous)} />
      <Button look="quiet" icon="arrow-down" label={words.next} disabled={!place.next} onClick={() => show(place.next)} />
    </span>
  );
}
