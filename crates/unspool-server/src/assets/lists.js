// Lists that follow the server, and the keys that move between their rows.

import { paintWaiting, say, waiting } from "./frame.js";
import { openLink } from "./link.js";
import { load, patch } from "./markup.js";
import { isLeading, notify, offerNotices } from "./notify.js";
import { paintState } from "./state.js";
import { tellZone } from "./times.js";

const { define, all, one } = window.unspool;

// Moving between rows: the current row is the one with the focus, or else the one that had it last.

const rows = () => all("main [data-row]").filter((row) => row.offsetParent !== null);
let lastRow = "";

const step = (way) => {
  const list = rows();
  if (!list.length) return;
  const at = list.findIndex((row) => row.contains(document.activeElement));
  const known = at >= 0 ? at : list.findIndex((row) => row.id === lastRow);
  const next = known < 0 ? (way > 0 ? 0 : list.length - 1) : Math.min(Math.max(known + way, 0), list.length - 1);
  const row = list[next];
  lastRow = row.id;
  const link = row.matches("a") ? row : row.querySelector("a");
  if (!link) return;
  link.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
};

define("next-turn", () => step(1));
define("previous-turn", () => step(-1));

// The help of a list shows only the keys that work here.
const works = new Set(["next-turn", "previous-turn", "first", "last", "search", "fold", "theme", "next-waiting", "close", "help"]);
if (one('a[href="/runs"]')) for (const name of ["allow-once", "allow-session", "deny"]) works.add(name);
for (const action of all("dialog.keys [data-action]")) {
  const name = action.dataset.action;
  const hasWay = name.startsWith("go-") && one('a[data-go="' + name.slice(3) + '"]');
  if (!works.has(name) && !hasWay) action.dataset.idle = "1";
}
for (const row of all("dialog.keys dl > div")) {
  if (row.querySelector("[data-action]:not([data-idle])")) continue;
  row.hidden = true;
}
for (const section of all("dialog.keys section")) {
  section.hidden = !section.querySelector("dl > div:not([hidden])");
}

// Parts that are reloaded

// Other parts that show the same data: rows of a project are recent sessions too.
const partsOf = { inbox: ["bar", "wall", "runs"], recent: ["rows"] };

const names = () => [...new Set(all("[data-part]").map((part) => part.dataset.part))];

const wayOf = (parts) => {
  // The page of a problem has no parts except the bar, which any page provides.
  const address = new URL(document.body.dataset.page === "problem" ? "/" : location.href, location.href);
  address.hash = "";
  address.searchParams.set("part", parts.join(","));
  return address;
};

// One request at a time; parts that change in the meantime are requested afterwards.
let asking = null;
let dirty = new Set();

const announce = (before) => {
  const known = new Set(before);
  const news = waiting().filter((link) => !known.has(link.dataset.key));
  if (news.length) say("Needs input: " + news.map((link) => link.dataset.title).join(", "));
};

const refresh = async (parts) => {
  for (const part of parts) dirty.add(part);
  if (asking) return asking;
  const work = async () => {
    while (dirty.size) {
      const wanted = [...dirty];
      dirty = new Set();
      const before = waiting().map((link) => link.dataset.key);
      patch(await load(wayOf(wanted)));
      announce(before);
      notify(waiting());
    }
  };
  asking = work().finally(() => {
    asking = null;
  });
  return asking;
};

const refreshAll = () => refresh(names());

const assets = document.body.dataset.assets;
const isOld = (hello) => Boolean(hello && hello.assets && assets && hello.assets !== assets);

let greeted = false;
openLink({
  way: () => "/live/list",
  on: {
    hello: (hello) => {
      if (isOld(hello)) one("#stale")?.removeAttribute("hidden");
      // At the first hello the page is new; after a reconnect anything may have changed.
      if (greeted) refreshAll().catch(() => {});
      greeted = true;
    },
    changed: (change) => {
      const known = names();
      const told = change && Array.isArray(change.parts) ? change.parts : known;
      const also = told.flatMap((part) => [part, ...(partsOf[part] || [])]);
      const parts = known.filter((part) => also.includes(part));
      if (!parts.length) return;
      refresh(parts).catch(() => {});
    },
  },
  ask: refreshAll,
  state: paintState,
  staysHidden: isLeading,
});

offerNotices(() => waiting().map((link) => ({ key: link.dataset.key })), { canLead: true });
if (tellZone()) refreshAll().catch(() => {});
document.addEventListener("unspool:patched", paintWaiting);

// Forms that set a mark are sent without leaving the page.

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form[data-quiet]")) return;
  event.preventDefault();
  const response = await fetch(form.action, {
    method: "POST",
    headers: { "X-Unspool": "1", "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(new FormData(form)),
    redirect: "manual",
  }).catch(() => null);
  if (response && (response.ok || response.type === "opaqueredirect")) refreshAll().catch(() => {});
  else say("This could not be saved");
});
