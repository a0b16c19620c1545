/** Words of exports. */
export const exports = {
  title: "Export",
  csv: "CSV, for spreadsheets",
  ndjson: "NDJSON, for programs",
  waiting: "The export begins",
  rows: { one: "{n} row exported", other: "{n} rows exported" },
  done: { one: "{n} row is in your downloads", other: "{n} rows are in your downloads" },
  failed: "The export failed: {why}",
} as const;
