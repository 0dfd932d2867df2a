// The rail: the current turn, the visible turns, and the prompt of the current turn in one line.
//
// A long rail has lines for single turns only near the reader; when the reader leaves them, the
// script fetches the rail around the new position.

import { onFilled, wayTo } from "./chunks.js";
import { load, morph } from "./markup.js";
import { chunkAt, isEmpty, readingAt } from "./place.js";
import { writeTimes } from "./times.js";

const { unspool } = window;
const rail = document.getElementById("rail");
const now = document.getElementById("now");
const lines = () => (rail ? [...rail.querySelectorAll("a[data-m]")] : []);

let known = lines();
let current = null;

// Returns the last line that begins at a message or before it.
const lineOf = (ordinal) => {
  let low = 0;
  let high = known.length - 1;
  let found = null;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (Number(known[middle].dataset.m) <= ordinal) {
      found = known[middle];
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return found;
};

const intoSight = (line) => {
  const place = line.getBoundingClientRect();
  const frame = rail.getBoundingClientRect();
  if (place.top < frame.top + 40 || place.bottom > frame.bottom - 40) {
    rail.scrollTop += place.top - frame.top - frame.height / 3;
  }
};

// Returns the last visible message, approximately.
const lastInSight = () => {
  const chunk = chunkAt(innerHeight - 1);
  if (!chunk) return 0;
  if (isEmpty(chunk)) return Number(chunk.dataset.from);
  const messages = [...chunk.querySelectorAll("article[data-m]")];
  const last = messages.findLast((message) => message.getBoundingClientRect().top < innerHeight);
  return Number((last || chunk).dataset.m || chunk.dataset.from);
};

const { read } = document.body.dataset;
const railWay = (m) => wayTo("rail", read === undefined ? { m } : { m, read });

let asking = false;
const askAround = async (ordinal) => {
  if (asking) return;
  asking = true;
  try {
    const fresh = (await load(railWay(ordinal))).getElementById("turns");
    if (fresh) {
      document.getElementById("turns").replaceWith(document.adoptNode(fresh));
      known = lines();
      current = null;
      writeTimes(rail);
      mark();
    }
  } catch {
    // The rail stays as it is.
  }
  asking = false;
};

// Updates the rail for new turns.
export const refreshRail = async () => {
  const reading = readingAt();
  try {
    const fresh = (await load(railWay(reading ? reading.ordinal : 0))).getElementById("turns");
    if (fresh) morph(document.getElementById("turns"), fresh);
    known = lines();
    current = null;
    writeTimes(rail);
    mark();
  } catch {
    // The rail stays as it is.
  }
};

const prompt = (line, reading) => {
  const section = reading.message && reading.message.closest(".turn");
  const asked = section && section.querySelector(":scope > h2 > .asked");
  if (asked) return asked.textContent;
  const what = line.querySelector(".what");
  return what && line.dataset.last === undefined ? what.textContent : "";
};

// Shows the prompt in one line, while its turn is read and the prompt itself is not visible.
const paintNow = (line, reading) => {
  const words = line && reading ? prompt(line, reading) : "";
  const isRead = words && Number(line.dataset.m) < reading.ordinal;
  now.hidden = !isRead;
  if (!isRead) return;
  let link = now.querySelector("a");
  if (!link) {
    link = document.createElement("a");
    now.replaceChildren(link);
  }
  if (link.textContent !== words) link.textContent = words;
  link.href = line.href;
};

const mark = () => {
  const reading = readingAt();
  if (!reading) return;
  const line = lineOf(reading.ordinal);
  if (now) paintNow(line, reading);
  const last = lastInSight();
  for (const other of known) {
    const begins = Number(other.dataset.m);
    other.classList.toggle("in-sight", other === line || (begins > reading.ordinal && begins <= last));
  }
  if (line === current) return;
  if (current) current.removeAttribute("aria-current");
  current = line;
  if (!line) return;
  line.setAttribute("aria-current", "true");
  intoSight(line);
  if (line.dataset.last !== undefined) askAround(reading.ordinal);
  follow(line);
};

// The address names the current turn, so that the page can be reloaded or sent to a friend.
let moved = false;
let naming = 0;
const follow = (line) => {
  if (!moved || line.dataset.last !== undefined) return;
  clearTimeout(naming);
  naming = setTimeout(() => history.replaceState(history.state, "", line.href), 400);
};
for (const name of ["wheel", "touchmove", "keydown"]) {
  addEventListener(name, () => (moved = true), { passive: true, once: true });
}

let waiting = false;
const markSoon = () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    mark();
  });
};

if (rail) {
  addEventListener("scroll", markSoon, { passive: true });
  addEventListener("resize", markSoon);
  onFilled(markSoon);
  unspool.adopting(markSoon);
  markSoon();
}
