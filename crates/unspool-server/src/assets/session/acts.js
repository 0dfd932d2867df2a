// Actions on a session: copy, navigate, fold, and load the rest of something.

import "./agents.js";
import { wayTo } from "./chunks.js";
import { say } from "./frame.js";
import { load } from "./markup.js";
import { keep, readingAt } from "./place.js";
import { writeTimes } from "./times.js";

const { unspool } = window;
const { dataset } = document.body;
const root = document.documentElement;
const one = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

// Copying

const copy = async (text, what) => {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied " + what);
  } catch {
    // Without permission to write to the clipboard, the browser copies a selection.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    say(done ? "Copied " + what : "This browser does not allow copying");
  }
};

// Returns the message that an action applies to: the one with the focus, or else the one that is read.
const message = () => {
  const focused = document.activeElement && document.activeElement.closest("article.msg");
  const reading = readingAt();
  return focused || (reading && reading.message);
};
const rawOf = (article) => article && one("a.to-raw", article);
const idOf = (article) => (rawOf(article) ? decodeURIComponent(new URL(rawOf(article).href).pathname.split("/").pop()) : "");

const markdown = async () => {
  const raw = rawOf(message());
  if (!raw) return;
  const way = new URL(raw.href);
  way.pathname = way.pathname.replace("/raw/", "/md/");
  try {
    const response = await fetch(way, { headers: { Accept: "text/markdown" } });
    if (!response.ok) throw new Error("status " + response.status);
    await copy(await response.text(), "the message as Markdown");
  } catch {
    say("The message could not be loaded");
  }
};
const block = () => {
  const article = message();
  const focused = document.activeElement && document.activeElement.closest(".code, .diff");
  const code = focused || (article && one(".code, .diff", article));
  if (code) copy((one("code", code) || code).textContent, "the code");
};
const link = () => {
  const id = idOf(message());
  const way = new URL(dataset.base, location.href);
  const query = new URLSearchParams(location.search);
  for (const name of ["project", "path", "view"]) if (query.get(name)) way.searchParams.set(name, query.get(name));
  if (id) {
    way.searchParams.set("at", id);
    way.hash = message().id;
  }
  copy(way.href, "the link to this place");
};
const resume = () => {
  const code = one("#resume code");
  if (code) copy(code.textContent, "the command that resumes the session");
};
unspool.define("copy-message", markdown);
unspool.define("copy-block", block);
unspool.define("copy-link", link);
unspool.define("copy-id", () => copy(dataset.session, "the id of the session"));
unspool.define("copy-resume", resume);
unspool.define("resume", resume);
unspool.define("copy-log-path", () => {
  const path = one("#log-path");
  if (path) copy(path.textContent, "the path of the log");
});

// Navigation

const follow = (found) => {
  if (found) location.assign(found.href);
};
const goes = { tree: "t", waterfall: "w", files: "f", live: "l", home: "h", stats: "s", search: "/" };
for (const [name, letter] of Object.entries(goes)) {
  unspool.define("go-" + name, () => follow(one('a[data-go="' + letter + '"]')));
}
unspool.define("go-project", () => follow(one('.crumbs a[href^="/p/"]')));
unspool.define("go-raw", () => follow(rawOf(message())));

// Paths: the menu, and the previous or next one

const paths = () => all("#paths li a");
unspool.define("paths", () => {
  const menu = one("#paths");
  if (!menu) return say("There is only one path");
  menu.open = !menu.open;
  if (menu.open) (one("[aria-current]", menu) || one("a", menu)).focus();
  else one("summary", menu).focus();
});
const stepPath = (way) => {
  const links = paths();
  const here = links.findIndex((known) => known.hasAttribute("aria-current"));
  if (links[here + way]) location.assign(links[here + way].href);
  else say("There is no path in this direction");
};
unspool.define("next-path", () => stepPath(1));
unspool.define("previous-path", () => stepPath(-1));
unspool.closing(() => {
  const menu = one("#paths[open]");
  if (!menu) return false;
  menu.open = false;
  one("summary", menu).focus();
  return true;
});
document.addEventListener("click", (event) => {
  const menu = one("#paths[open]");
  if (menu && !menu.contains(event.target)) menu.open = false;
});

// The rail and the panel as drawers, on screens without room for them

const drawers = ["rail", "panel"].map((id) => document.getElementById(id)).filter(Boolean);
const isDrawer = (drawer) => getComputedStyle(drawer).position === "fixed";
let opener = null;
const shut = () => {
  const open = drawers.find((drawer) => drawer.classList.contains("open"));
  if (!open) return false;
  open.classList.remove("open");
  if (opener && opener.isConnected) opener.focus({ preventScroll: true });
  return true;
};
const openDrawer = (id) => {
  const drawer = document.getElementById(id);
  if (!drawer) return;
  const focusable = one("[aria-current], a:not(.close), button", drawer) || one("a", drawer);
  if (isDrawer(drawer)) {
    const wasOpen = drawer.classList.contains("open");
    shut();
    if (wasOpen) return;
    opener = document.activeElement;
    drawer.classList.add("open");
  }
  if (focusable) focusable.focus();
};
unspool.define("rail", () => openDrawer("rail"));
unspool.define("panel", () => openDrawer("panel"));
unspool.define("go-outline", () => openDrawer("rail"));
unspool.define("go-summary", () => openDrawer("panel"));
unspool.define("go-agents", () => {
  openDrawer("panel");
  const agent = one("#agents a");
  if (agent) agent.focus();
});
unspool.closing(shut);
document.addEventListener("click", (event) => {
  const close = event.target.closest(".rail .close, .panel .close, .thumbs a");
  if (close) event.preventDefault();
  const open = drawers.find((drawer) => drawer.classList.contains("open"));
  if (!open) return;
  const isWay = event.target.closest("a") && open.contains(event.target);
  if (isWay || close?.matches(".close") || (!open.contains(event.target) && !event.target.closest(".thumbs"))) shut();
});

// How calls are shown: as in the page, all open, or all closed

const calls = ["", "open", "closed"];
const setCalls = (from) => {
  const mode = root.dataset.calls || "";
  for (const call of all("details.call", from)) {
    if (call.dataset.was === undefined) call.dataset.was = call.open ? "1" : "";
    call.open = mode === "open" || (mode === "" && call.dataset.was === "1");
  }
};
unspool.define("call-detail", () => {
  const at = calls.indexOf(root.dataset.calls || "");
  root.dataset.calls = calls[(at + 1) % calls.length];
  keep(() => setCalls(one("main")));
  say({ open: "Calls: all of them open", closed: "Calls: their lines only", "": "Calls: what is worth reading at once" }[root.dataset.calls]);
});
unspool.adopting((from) => {
  if (root.dataset.calls) setCalls(from);
});
const setThinking = (hidden) => root.classList.toggle("no-thinking", hidden);
unspool.define("thinking", () => {
  const hidden = !root.classList.contains("no-thinking");
  keep(() => setThinking(hidden));
  window.unspool.setting("thinking").set(hidden ? "hidden" : "");
  say(hidden ? "Thinking is hidden" : "Thinking is shown");
});
setThinking(window.unspool.setting("thinking").get() === "hidden");

// Enter toggles the fold around the focus; for a summary, the browser does it.
unspool.define("fold", () => {
  const fold = document.activeElement && document.activeElement.closest("details");
  if (fold && document.activeElement.tagName !== "SUMMARY") fold.open = !fold.open;
});

// The whole of a long output, in place

const showAll = async (way) => {
  const address = new URL(way.href);
  address.searchParams.set("bare", "1");
  way.setAttribute("aria-busy", "true");
  try {
    const part = await load(address);
    const line = way.closest(".rest");
    const nodes = [...part.body.children].map((node) => document.adoptNode(node));
    const cut = line.previousElementSibling && line.previousElementSibling.matches(".code, .diff") ? line.previousElementSibling : line.nextElementSibling;
    keep(() => {
      if (cut && cut.matches(".code, .diff")) cut.remove();
      const place = line.parentElement;
      line.replaceWith(...nodes);
      unspool.adopt(place);
      place.closest(".chunk")?.setAttribute("data-held", "");
    });
    const text = nodes[0] && one("pre", nodes[0]);
    if (text) text.focus({ preventScroll: true });
  } catch {
    way.removeAttribute("aria-busy");
    say("The output could not be loaded");
  }
};
document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const way = event.target.closest("a.all");
  // A whole message is Markdown, which has its own page.
  if (!way || way.pathname.includes("/md/")) return;
  event.preventDefault();
  showAll(way);
});

// The help is also a menu: a click on a row runs its action.

unspool.define("action-menu", () => unspool.run("help"));
document.addEventListener("click", (event) => {
  const row = event.target.closest("dialog.keys dl > div");
  const action = row && (event.target.closest("[data-action]") || one("[data-action]", row));
  if (!action || action.dataset.action === "help") return;
  row.closest("dialog").close();
  unspool.run(action.dataset.action);
});

// Facts of the panel that are fetched after the page

const fill = async (id, part) => {
  const fresh = (await load(wayTo(part))).getElementById(id);
  if (!fresh) return;
  one("#" + id).replaceWith(document.adoptNode(fresh));
  writeTimes(one("#panel"));
};
const fillPanel = async () => {
  try {
    if (one("#panel-facts[data-late]")) await fill("panel-facts", "panel");
    if (one("#more-facts[data-facts]")) await fill("more-facts", "facts");
  } catch {
    // The links of the panel lead to the same facts.
  }
};
if (window.requestIdleCallback) requestIdleCallback(fillPanel, { timeout: 4000 });
else setTimeout(fillPanel, 1500);
