// Results while typing: the newest query wins, and old results stay until there are new ones.

import { load, patch } from "./markup.js";

const box = document.querySelector("#ask");
const form = box.form;
const narrow = matchMedia("(max-width: 64rem)");

const wayOf = (text) => {
  const address = new URL("/search", location.href);
  if (text) address.searchParams.set("q", text);
  return address;
};

// On a small screen facets are folded at first.
const foldFacets = () => {
  const facets = document.querySelector("#facets");
  if (facets && !facets.dataset.own) facets.open = !narrow.matches;
  if (facets) facets.dataset.own = "1";
};

let shown = box.value.trim();
let request = null;
let timer = 0;

const search = async () => {
  const text = box.value.trim();
  if (text === shown) return;
  if (request) request.abort();
  const mine = new AbortController();
  request = mine;
  const part = wayOf(text);
  part.searchParams.set("part", "results");
  const results = document.querySelector("#part-results");
  const busy = setTimeout(() => results.setAttribute("aria-busy", "true"), 300);
  try {
    const fresh = await load(part, { signal: mine.signal });
    if (request !== mine) return;
    shown = text;
    patch(fresh);
    foldFacets();
    document.title = (text ? text + " \u00b7 " : "") + "Search";
    history.replaceState(null, "", wayOf(text));
  } catch {
    // An older query was aborted, or the server is away: the results stay.
  } finally {
    clearTimeout(busy);
    if (request === mine) results.removeAttribute("aria-busy");
  }
};

box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, 80);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  search();
});
box.addEventListener("keydown", (event) => {
  const first = document.querySelector(".hits a, .examples a");
  if (event.key === "ArrowDown" && first) {
    event.preventDefault();
    first.focus();
  }
});
window.unspool.closing(() => {
  if (document.activeElement === box) return false;
  box.focus();
  return true;
});

foldFacets();
