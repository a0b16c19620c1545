/** The records of a list, however many there are. */
import { type LongList, useLongList } from "../../house/long_lists";
import type { Input } from "../../house/tools";
import type { RecordLine } from "./values/properties";

export type Which = Omit<Input<"record.list">, "limit" | "cursor">;
export type Rows = LongList<RecordLine>;

export const useRows = (which: Which): Rows => useLongList("record.list", "records", which);
