// The frame of every page: navigation by keys, what waits for a person, times, and the status line.
//
// Uses the script of all pages (window.unspool): keys and buttons run actions by name.

import "./key.js";
import { keepTimes } from "./times.js";

const { define, all, one } = window.unspool;

// The search box. A session page has its own search.

if (document.body.dataset.page !== "session") define("search", () => {
  const box = one("#ask") || one(".ask input");
  if (!box || !box.offsetParent) {
    location.href = "/search";
    return;
  }
  box.focus();
  box.select();
});

// A letter after "g" opens a page, through the link of this page that leads there.

for (const name of ["home", "live", "stats", "search", "project", "tree", "files", "raw", "waterfall"]) {
  define("go-" + name, () => {
    const link = one('a[data-go="' + name + '"]');
    if (link) location.href = link.href;
  });
}

// What waits for a person: links to approvals and sessions.

export const waiting = () => all("#waits a[data-key]");

define("next-waiting", () => {
  const links = waiting();
  if (!links.length) {
    say("No session needs input");
    return;
  }
  const here = links.findIndex((link) => link.pathname === location.pathname);
  location.href = links[(here + 1) % links.length].href;
});

// Shows how many links wait in the title and the icon of the page.
export const paintWaiting = () => {
  const count = waiting().length;
  document.title = (count ? "(" + count + ") " : "") + document.title.replace(/^\(\d+\) /, "");
  const icon = one("link[rel=icon]");
  if (!icon) return;
  const way = count ? icon.dataset.waits : icon.dataset.rests;
  if (icon.getAttribute("href") !== way) icon.setAttribute("href", way);
};

// Shows a text in the status line for a moment; a screen reader reads it.
let clearing = 0;
export const say = (text) => {
  const line = one("#said");
  if (!line) return;
  line.textContent = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => {
    line.textContent = "";
  }, 6000);
};

keepTimes();
paintWaiting();
document.addEventListener("unspool:patched", paintWaiting);
