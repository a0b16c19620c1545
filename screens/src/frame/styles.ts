/** The styles of screens that not every page has: they are loaded with the screen's module. */

const loading = new Map<string, Promise<void>>();

/** Load style sheets by their names. Rejects where there is no connection. */
export async function loadStyles(names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => loaded(`/app/static/${name}`)));
}

function loaded(address: string): Promise<void> {
  // The shell has those of the first screen.
  if (!loading.has(address) && document.head.querySelector(`link[href="${address}"]`)) loading.set(address, Promise.resolve());
  let sheet = loading.get(address);
  if (!sheet) {
    sheet = load(address);
    loading.set(address, sheet);
  }
  return sheet;
}

function load(address: string): Promise<void> {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      loading.delete(address);
      reject(new Error(`${address} was not loaded`));
    });
    document.head.append(link);
  });
}
