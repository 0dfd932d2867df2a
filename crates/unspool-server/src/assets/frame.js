// What is around every page: theme, help, keys that work everywhere, times, and what waits.

import { bindKeys, help } from "./keys.js";
import { kept } from "./kept.js";
import { keepTimes } from "./times.js";

const root = document.documentElement;
const one = (selector) => document.querySelector(selector);

// Light and dark

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => root.dataset.theme || (dark.matches ? "dark" : "light");
const switchTheme = () => {
  root.dataset.theme = theme() === "dark" ? "light" : "dark";
  kept.set("theme", root.dataset.theme);
  one("[data-do=theme]")?.setAttribute("aria-label", "Theme: " + theme());
};
addEventListener("storage", (event) => {
  if (event.key === "unspool-theme" && event.newValue) root.dataset.theme = event.newValue;
});

// The search box

const search = () => {
  const box = one("#ask") || one(".ask input");
  if (!box || !box.offsetParent) {
    location.href = "/search";
    return;
  }
  box.focus();
  box.select();
};

// What waits: one link for each session, in the order in which they began to wait.

export const waiting = () => [...document.querySelectorAll("#waits a[data-key]")];

const nextWaiting = () => {
  const links = waiting();
  if (!links.length) {
    say("No session needs input");
    return;
  }
  const here = links.findIndex((link) => link.pathname === location.pathname);
  location.href = links[(here + 1) % links.length].href;
};

// The page's title and icon say how many wait.
export const paintWaiting = () => {
  const count = waiting().length;
  document.title = (count ? "(" + count + ") " : "") + document.title.replace(/^\(\d+\) /, "");
  const icon = one("link[rel=icon]");
  if (!icon) return;
  const way = count ? icon.dataset.waits : icon.dataset.rests;
  if (icon.getAttribute("href") !== way) icon.setAttribute("href", way);
};

// Tells a screen reader one line, and shows it for a moment.
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

// A page with the script of transcripts has its keys from the table there.
const shared = window.unspool;
if (shared) shared.define("next-waiting", nextWaiting);
else bindKeys([
  ["/", "search", search],
  ["!", "next session that needs input", nextWaiting],
  ["t", "light or dark", switchTheme],
  ["?", "these keys", help],
]);

const actions = shared ? {} : { theme: switchTheme, help };
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-do]") : null;
  const act = button ? actions[button.dataset.do] : null;
  if (act) act();
});

one("[data-do=theme]")?.setAttribute("aria-label", "Theme: " + theme());
keepTimes();
paintWaiting();
document.addEventListener("unspool:patched", paintWaiting);
