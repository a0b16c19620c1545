import { forms as words } from "../../messages/en/forms";
import { Copy } from "../../parts/texts";
import type { FormDetails } from "./form";

const said = words.install;

/** The key, and what to paste into a page or a server's program. */
export function Install({ form: { formKey, submitPath, fieldMap, honeypot } }: { form: FormDetails }) {
  const own = Object.keys(fieldMap).filter((name) => !["name", "email"].includes(name));
  const inputs = ["name", "email", ...own.slice(0, 4)].map((name) => {
    const type = name === "email" ? ' type="email" required' : "";
    return `  <label>${escaped(name)} <input name="${escaped(name)}"${type}></label>`;
  });
  const trap = honeypot ? [`  <input name="${escaped(honeypot)}" tabindex="-1" autocomplete="off" hidden>`] : [];
  const page = [
    '<form id="contact">',
    ...inputs,
    ...trap,
    "  <button>Send</button>",
    "</form>",
    "<script>",
    'document.getElementById("contact").addEventListener("submit", async (event) => {',
    "  event.preventDefault();",
    "  const v = Object.fromEntries(new FormData(event.target));",
    `  const answer = await fetch(${JSON.stringify(location.origin + submitPath)}, {`,
    '    method: "POST",',
    '    headers: { "Content-Type": "application/json" },',
    `    body: JSON.stringify({ f: ${JSON.stringify(formKey)}, v }),`,
    "  });",
    '  event.target.replaceWith((await answer.json()).ok ? "Thank you." : "Please try again.");',
    "});",
    "</script>",
  ].join("\n");
  const server = [
    `curl ${location.origin}/api/f/s \\`,
    "  -H 'Authorization: Bearer SERVER_KEY' \\",
    "  -H 'x-visitor-ip: 192.0.2.7' \\",
    "  -H 'x-visitor-ua: Mozilla/5.0' \\",
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"f": "${formKey}", "v": {"name": "Ada", "email": "ada@example.com"}}'`,
  ].join("\n");
  return (
    <div class="stack-wide narrow">
      <section>
        <h2>{said.key}</h2>
        <p class="soft lead">{said.keyHint}</p>
        <Copy text={formKey} label={said.key} />
      </section>
      <section>
        <h2>{said.browser}</h2>
        <p class="soft lead">{said.browserHint}</p>
        <Copy text={page} label={said.browser} block />
      </section>
      <section>
        <h2>{said.server}</h2>
        <p class="soft lead">{said.serverHint}</p>
        <Copy text={server} label={said.server} block />
      </section>
    </div>
  );
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
