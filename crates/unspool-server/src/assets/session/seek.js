// Going to places that are not in the page yet: link targets, turns, and matches of a search.
//
//   goToMessage(ordinal, id)   fills the message's chunk, then shows the element with this id, or the message
//   goToName(name)             the same for the name of a place: turn-4, e-UUID, c-ID, m120

import { chunkOf, fill, onFilled, wayTo } from "./chunks.js";
import { say } from "./frame.js";
import { readingAt, remember } from "./place.js";

const { unspool } = window;
const { dataset } = document.body;

// Fetches JSON from the server.
export const json = async (way, signal) => {
  const response = await fetch(way, { headers: { Accept: "application/json" }, signal });
  if (!response.ok) throw Object.assign(new Error("status " + response.status), { status: response.status });
  return response.json();
};

// If several journeys overlap, only the newest one reaches its target.
let journey = 0;
export const setOut = () => {
  journey += 1;
  const mine = journey;
  return () => mine === journey;
};

export const goToMessage = async (ordinal, id = null, block = "start") => {
  const isNewest = setOut();
  const chunk = chunkOf(ordinal);
  if (!chunk) return false;
  if (chunk.hasAttribute("data-h")) {
    chunk.scrollIntoView({ block: "start", behavior: "instant" });
    remember();
    if (!(await fill(chunk)) || !isNewest()) return false;
  }
  const element = (id && document.getElementById(id)) || chunk.querySelector('[data-m="' + ordinal + '"]');
  if (!element) return false;
  if (element.tagName === "DETAILS") element.open = true;
  unspool.show(element, block);
  remember();
  return true;
};

const asked = (name) => {
  if (/^turn-\d+$/.test(name)) return { turn: name.slice(5) };
  if (name.startsWith("e-")) return { entry: name.slice(2) };
  return name.startsWith("c-") ? { call: name.slice(2) } : null;
};

export const goToName = async (name) => {
  const element = document.getElementById(name);
  if (element) {
    if (element.tagName === "DETAILS") element.open = true;
    unspool.show(element);
    return true;
  }
  if (/^m\d+$/.test(name)) return goToMessage(Number(name.slice(1)));
  const query = asked(name);
  if (!query) return false;
  try {
    const place = await json(wayTo("where", query));
    if (!place.here) {
      // The place is on another path, or in an agent.
      location.assign(place.way);
      return true;
    }
    return await goToMessage(place.ordinal, name);
  } catch (error) {
    say(error.status === 404 ? "This place is not in the session" : "This place could not be loaded");
    return false;
  }
};

const hashName = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
};
const goToElement = unspool.goToTarget;
unspool.goToTarget = () => {
  if (unspool.target()) goToElement();
  else if (location.hash) goToName(hashName());
};

// Links to places in this page do not load it again. Going back returns to the reader's position.

const isHere = (link) => {
  const address = new URL(link.href);
  const parameter = (url, name) => new URL(url).searchParams.get(name) || "";
  const same = ["path", "project", "view"].every((name) => parameter(link.href, name) === parameter(location.href, name));
  return address.origin === location.origin && address.pathname === location.pathname && same && address.hash.length > 1;
};

export const noteWhere = () => {
  const reading = readingAt();
  if (reading) history.replaceState({ ...history.state, ordinal: reading.ordinal }, "");
};

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest("a[href]");
  if (!link || !isHere(link) || ["#main", "#rail", "#panel"].includes(link.hash)) return;
  event.preventDefault();
  noteWhere();
  history.pushState({}, "", link.href);
  goToName(decodeURIComponent(link.hash.slice(1)));
});
addEventListener("popstate", (event) => {
  const { ordinal } = event.state || {};
  if (Number.isInteger(ordinal)) goToMessage(ordinal);
  else if (location.hash) goToName(hashName());
});

// Search through the server: it knows all messages, the page marks the matches in those it has.

const { find } = unspool;
const marks = find.search;
const found = { text: "", total: 0, messages: [], at: -1, within: -1, done: true };
let searching = null;

const note = () => {
  const line = document.getElementById("found");
  if (!line) return;
  const some = found.total + (found.done ? "" : "+");
  const place = found.at < 0 ? some : before() + found.within + 1 + " / " + some;
  line.textContent = found.text.trim() ? (found.total ? place : found.done ? "none" : "\u2026") : "";
};
const before = () => {
  let sum = 0;
  for (let index = 0; index < found.at; index += 1) sum += found.messages[index][1];
  return sum;
};

const look = async (text, from, signal) => {
  const answer = await json(wayTo("find", { q: text, from }), signal);
  if (signal.aborted) return;
  found.total += answer.total;
  for (const chunk of answer.chunks) found.messages.push(...chunk.messages);
  found.done = answer.next === null;
  note();
  if (!found.done) await look(text, answer.next, signal);
};

find.search = (text, from) => {
  if (searching) searching.abort();
  Object.assign(found, { text, total: 0, messages: [], at: -1, within: -1, done: !text.trim() });
  marks(text, from);
  note();
  if (!text.trim()) return Promise.resolve();
  searching = new AbortController();
  const { signal } = searching;
  return look(text, 0, signal).catch((error) => {
    if (error.name !== "AbortError") say("The search failed");
  });
};

// Returns the matches of the current message that are in the page.
const rangesNow = () => {
  const [ordinal] = found.messages[found.at];
  const chunk = chunkOf(ordinal);
  const message = chunk && chunk.querySelector('[data-m="' + ordinal + '"]');
  return { ordinal, message, ranges: message ? find.ranges.filter((range) => message.contains(range.startContainer)) : [] };
};

const nearest = (way) => {
  const here = readingAt();
  const ordinal = here ? here.ordinal : 0;
  const next = found.messages.findIndex(([message]) => message >= ordinal);
  if (way > 0) return next < 0 ? 0 : next;
  return (next < 0 ? found.messages.length : next) - 1;
};

const turnTo = async (way) => {
  const count = found.messages.length;
  found.at = found.at < 0 ? nearest(way) : found.at + way;
  found.at = (found.at + count) % count;
  const [ordinal, matches] = found.messages[found.at];
  const chunk = chunkOf(ordinal);
  if (chunk && chunk.hasAttribute("data-h")) {
    chunk.scrollIntoView({ block: "start", behavior: "instant" });
    remember();
    await fill(chunk);
  }
  marks(found.text);
  const { ranges } = rangesNow();
  found.within = way > 0 ? 0 : Math.max(0, Math.min(ranges.length, matches) - 1);
};

find.step = async (way) => {
  const input = document.getElementById("find");
  if (input && input.value !== found.text) await find.search(input.value);
  if (!found.messages.length) return;
  const now = found.at < 0 ? null : rangesNow();
  const next = found.within + way;
  if (now && next >= 0 && next < now.ranges.length) found.within = next;
  else await turnTo(way);
  const { message, ranges, ordinal } = rangesNow();
  const range = ranges[found.within];
  noteWhere();
  if (range) find.goTo(find.ranges.indexOf(range));
  else if (message) await goToMessage(ordinal);
  markNow();
  remember();
  note();
};

// Highlights the current match, which stays the same when chunks are filled.
const markNow = () => {
  if (found.at < 0) return;
  const { ranges } = rangesNow();
  const range = ranges[found.within];
  find.at = find.ranges.indexOf(range);
  if (typeof Highlight !== "function" || !CSS.highlights) return;
  const now = new Highlight(...(range ? [range] : []));
  now.priority = 1;
  CSS.highlights.set("found-now", now);
};
let marking = 0;
onFilled(() => {
  if (!found.text.trim() || marking) return;
  marking = requestAnimationFrame(() => {
    marking = 0;
    marks(found.text);
    markNow();
    note();
  });
});

// Goes to the place that the address names; returns whether it names one.
export const begin = () => {
  const words = new URLSearchParams(location.search).get("find");
  const input = document.getElementById("find");
  if (words && input) {
    input.value = words;
    find.search(words).then(() => (location.hash ? unspool.goToTarget() : find.step(1)));
    return true;
  }
  if (location.hash.length > 1) {
    unspool.goToTarget();
    return true;
  }
  return Boolean(dataset.target);
};
