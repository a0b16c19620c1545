"use strict";

const TEAM_MS = 1500;
const RETRY_MS = 2000;
const STATES = {
  waiting: "waiting for the bridge", taken: "with the bridge", sent: "sent", delivered: "delivered",
  read: "read", failed: "failed", cancelled: "cancelled",
};

const $ = (id) => document.getElementById(id);
const kept = (name, make) => {
  let value = localStorage.getItem(name);
  if (value === null) localStorage.setItem(name, value = make());
  return value;
};
const chat = `chats/${kept("svc-chat", () => crypto.randomUUID())}`;
const time = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function ask(path, body) {
  const options = body && {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  };
  const answer = await fetch(`${chat}${path}`, options);
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error || `status ${answer.status}`);
  return found;
}

function element(tag, classes, text) {
  const made = document.createElement(tag);
  made.className = classes;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Put *items* into *list*, and stay at its end if that is where it was. */
function fill(list, items) {
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  list.replaceChildren(...items);
  if (atEnd) list.scrollTop = list.scrollHeight;
}

function bubble(one) {
  const made = element("li", one.mine ? "bubble mine" : "bubble");
  if (one.author) made.append(element("span", "who-wrote", one.author));
  made.append(one.text, element("span", "when", one.state === "sending" ? "sending…" : time(one.at)));
  return made;
}

function said(one) {
  const made = element("li", `said ${one.direction}`);
  const head = element("p", "head");
  const who = one.direction === "in" ? $("name").value || "Customer" : one.author?.name || "From the phone";
  head.append(element("b", "", who), element("span", "", time(one.createdAt)));
  if (one.status) head.append(element("span", `state ${one.status}`, STATES[one.status] || one.status));
  made.append(head, element("p", "text", one.text || ""));
  return made;
}

/** The phone: wait for what is new, show it, and tell whether anybody looks. */
async function follow() {
  let version = -1;
  for (;;) {
    const seen = document.visibilityState === "visible" ? "yes" : "no";
    try {
      const found = await ask(`?version=${version}&seen=${seen}`);
      version = found.version;
      $("nothing").hidden = found.bubbles.length > 0;
      fill($("bubbles"), found.bubbles.map(bubble));
      line("online");
    } catch (error) {
      line("no connection", true);
      await sleep(RETRY_MS);
    }
  }
}

function line(text, bad = false) {
  $("line").textContent = text;
  $("line").classList.toggle("bad", bad);
}

/** The desk: what the service's tools say of the same conversation. */
let shown = "";
async function look() {
  try {
    const found = await ask("/team");
    const state = JSON.stringify([found, $("name").value]);
    if (state !== shown) {
      shown = state;
      const begun = found.messages.length > 0;
      $("desk").textContent = begun ? found.contact || $("name").value || "A customer" : "No conversation yet";
      $("quiet").hidden = begun;
      $("contact").hidden = !begun || !(found.contact || found.held);
      $("contact").classList.toggle("held", !found.contact);
      $("contact").textContent = found.contact ? "Known contact" : "Held: who this is, is not clear";
      fill($("lines"), found.messages.map(said));
      $("answer").disabled = $("send").disabled = !begun;
      const handedOver = found.silence?.by === "handed_over" ? `The agent hands over: ${found.silence.reason}` : "";
      hint(handedOver || (begun ? "The customer sees it at once." : "Waiting for the first message."));
    }
  } catch (error) {
    hint(`The service cannot be asked: ${error.message}`, true);
    shown = "";
  }
}

function hint(text, bad = false) {
  $("hint").textContent = text;
  $("hint").classList.toggle("bad", bad);
}

async function watch() {
  for (;;) {
    if (document.visibilityState === "visible") await look();
    await sleep(TEAM_MS);
  }
}

/** Have *form* send what is in *box*, and keep it there when that goes wrong. */
function sends(form, box, send, failed) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = box.value.trim();
    if (!text) return;
    box.value = "";
    try {
      await send(text);
      await look();
    } catch (error) {
      box.value = box.value || text;
      failed(`Not sent: ${error.message}`, true);
    }
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}

$("name").value = kept("svc-name", () => "Grace");
$("name").addEventListener("input", () => localStorage.setItem("svc-name", $("name").value));
$("share").addEventListener("click", async () => {
  try {
    await ask("/number", { name: $("name").value });
    $("share").textContent = "Number shared";
    $("share").disabled = true;
  } catch (error) {
    line(`Not shared: ${error.message}`, true);
  }
});
$("tries").addEventListener("click", (event) => {
  if (event.target.tagName !== "BUTTON") return;
  const [last] = ($("bubbles").textContent.match(/rec_[0-9A-Z]{26}/g) || []).slice(-1);
  $("text").value = event.target.textContent.replace("RECORD", last || "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA");
  $("say").requestSubmit();
});
sends($("say"), $("text"), (text) => ask("/messages", { text, name: $("name").value }), line);
sends($("reply"), $("answer"), (text) => ask("/team/replies", { text }), hint);
follow();
watch();
