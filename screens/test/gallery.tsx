/** Parts that no screen shows in each of their states, for the tests in tests/browser/screens/test_parts.py. */
import { render } from "preact";
import { useState } from "preact/hooks";
import { Toasts } from "../src/frame/toasts";
import { toast } from "../src/house/toasts";
import { Button } from "../src/parts/button";
import { Bars } from "../src/parts/chart";
import { Combobox, type Option } from "../src/parts/combobox";
import { Table } from "../src/parts/table/table";
import { Copy, RelativeTime } from "../src/parts/texts";
import "../src/frame/theme";

const LAMPS: Option[] = ["Skerry", "Bellevue", "Brig", "Harbour"].map((label) => ({ id: label.toLowerCase(), label, note: "lamp" }));
const ROWS = Array.from({ length: 120 }, (_, n) => `Row ${n + 1}`);

function Gallery() {
  const [lamp, setLamp] = useState<Option | null>(null);
  const [shown, setShown] = useState(50);
  const [done, setDone] = useState("");
  return (
    <main>
      <h1>Parts</h1>
      <Combobox
        label="Lamp"
        value={lamp}
        onValue={setLamp}
        find={(text) => LAMPS.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))}
      />
      <output>{lamp?.id ?? "none"}</output>
      <Button onClick={() => toast("Archived", { undo: () => setDone("undone") })}>Archive</Button>
      <output>{done}</output>
      <Copy text={"<b>text</b>"} label="Snippet" />
      <RelativeTime at="2026-01-01T00:00:00.000Z" />
      <Bars
        label="By day"
        bars={[
          { day: "2026-09-17", count: 0 },
          { day: "2026-09-18", count: 1_200 },
        ]}
      />
      <Table
        label="Rows"
        rows={ROWS.slice(0, shown)}
        idOf={(row) => row}
        nameOf={(row) => row}
        columns={[{ key: "row", label: "Row", cell: (row) => row }]}
        bulk={[{ label: "Count", run: (rows) => setDone(`${rows.length} counted`) }]}
        hasMore={shown < ROWS.length}
        more={() => setShown((before) => before + 50)}
        empty={null}
      />
      <Toasts />
    </main>
  );
}

const root = document.getElementById("app");
if (root) render(<Gallery />, root);
