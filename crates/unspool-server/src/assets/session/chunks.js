// Chunks of the transcript: filled when they come near the viewport, emptied when they are far away.
//
// At most two are fetched at once, the nearest first; the fetch of a chunk that is far away again
// is aborted. An emptied chunk keeps its measured height. A chunk stays filled if it contains the
// selection, the focus, the current match, or something that the reader unfolded.
//
//   fill(chunk)        fills a chunk now; resolves when it is in the page
//   chunkOf(ordinal)   the chunk with a message
//   onFilled(act)      calls act(chunk) for each chunk that was filled
//   partWay(from, to)  the address of a range of messages

import { load } from "./markup.js";
import { chunks, isEmpty, keep } from "./place.js";
import { writeTimes } from "./times.js";

const { unspool } = window;
const { dataset } = document.body;

const atOnce = 2;
const nearBy = "150% 0px";
const farAway = "4000% 0px";
// A page has at most 20,000 elements; those around the transcript are a few thousand.
const mostElements = 18000;
const tryAgain = 3000;

// Returns the parameters that name the shown conversation.
export const shownQuery = (more = {}) => {
  const query = new URLSearchParams();
  if (dataset.project) query.set("project", dataset.project);
  if (dataset.path) query.set("path", dataset.path);
  // Links of a page of the active path do not name the path.
  if (dataset.path && !dataset.pinned) query.set("links", "active");
  if (dataset.view) query.set("view", dataset.view);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query;
};
export const wayTo = (step, more) => dataset.base + "/" + step + "?" + shownQuery(more);
export const partWay = (from, to) => wayTo("part", { from, to });

const fromOf = (chunk) => Number(chunk.dataset.from);

export const chunkOf = (ordinal) => {
  const all = chunks();
  let low = 0;
  let high = all.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fromOf(all[middle]) <= ordinal) low = middle;
    else high = middle - 1;
  }
  const chunk = all[low];
  return chunk && fromOf(chunk) <= ordinal && ordinal < Number(chunk.dataset.to) ? chunk : null;
};

const near = new Set();
const far = new Set();
const asked = new Map();
const failed = new Map();
const waiters = new Map();
const listeners = [];
let ready = [];
let drawing = 0;

export const onFilled = (act) => listeners.push(act);

const distance = (chunk) => {
  const box = chunk.getBoundingClientRect();
  if (box.bottom < 0) return -box.bottom;
  return box.top > innerHeight ? box.top - innerHeight : 0;
};

const isWaiting = (chunk) => isEmpty(chunk) && !asked.has(chunk) && !(failed.get(chunk) > Date.now());

const pump = () => {
  if (asked.size >= atOnce) return;
  const urgent = [...waiters.keys()].filter(isWaiting);
  const others = [...near].filter((chunk) => isWaiting(chunk) && !waiters.has(chunk));
  const places = others.map((chunk) => [distance(chunk), chunk]).sort((a, b) => a[0] - b[0]);
  for (const chunk of [...urgent, ...places.map(([, chunk]) => chunk)]) {
    if (asked.size >= atOnce) return;
    ask(chunk);
  }
};

const ask = async (chunk) => {
  const control = new AbortController();
  asked.set(chunk, control);
  try {
    const part = await load(partWay(chunk.dataset.from, chunk.dataset.to), { signal: control.signal });
    if (asked.get(chunk) !== control) return;
    ready.push([chunk, [...part.body.childNodes]]);
    if (!drawing) drawing = requestAnimationFrame(draw);
  } catch (error) {
    if (asked.get(chunk) !== control) return;
    asked.delete(chunk);
    if (error.name !== "AbortError") {
      failed.set(chunk, Date.now() + tryAgain);
      setTimeout(pump, tryAgain + 50);
      settle(chunk, false);
    }
  }
  pump();
};

const settle = (chunk, done) => {
  for (const resolve of waiters.get(chunk) || []) resolve(done);
  waiters.delete(chunk);
};

// Everything that came since the last frame is inserted at once, so the position is restored once.
const draw = () => {
  drawing = 0;
  const filled = ready;
  ready = [];
  keep(() => {
    for (const [chunk, nodes] of filled) {
      asked.delete(chunk);
      put(chunk, nodes);
    }
    trim();
  });
  for (const [chunk] of filled) {
    settle(chunk, true);
    for (const act of listeners) act(chunk);
  }
  pump();
};

// Inserts messages into a chunk.
const put = (chunk, nodes) => {
  chunk.replaceChildren(...nodes.map((node) => document.adoptNode(node)));
  chunk.removeAttribute("data-h");
  chunk.style.blockSize = "";
  failed.delete(chunk);
  unspool.adopt(chunk);
  writeTimes(chunk);
};

const isHeld = (chunk) => {
  if (chunk.hasAttribute("data-held") || waiters.has(chunk)) return true;
  if (chunk.contains(document.activeElement)) return true;
  const { find } = unspool;
  const now = find && find.ranges[find.at];
  if (now && chunk.contains(now.startContainer)) return true;
  const selection = getSelection();
  return Boolean(selection && !selection.isCollapsed && selection.containsNode(chunk, true));
};

const empty = (chunk) => {
  const { height } = chunk.getBoundingClientRect();
  chunk.style.blockSize = height + "px";
  chunk.setAttribute("data-h", "kept");
  chunk.replaceChildren();
};

const elements = document.getElementsByTagName("*");

// Empties the farthest chunks until the page is small enough.
const trim = () => {
  if (elements.length <= mostElements) return;
  const filled = [...chunks()].filter((chunk) => !isEmpty(chunk) && !near.has(chunk));
  const places = filled.map((chunk) => [distance(chunk), chunk]).sort((a, b) => b[0] - a[0]);
  for (const [, chunk] of places) {
    if (elements.length <= mostElements) return;
    if (!isHeld(chunk)) empty(chunk);
  }
};

export const fill = (chunk) => {
  if (!isEmpty(chunk)) return Promise.resolve(true);
  failed.delete(chunk);
  return new Promise((resolve) => {
    waiters.set(chunk, [...(waiters.get(chunk) || []), resolve]);
    // A chunk that is requested by name comes before chunks that are only near.
    for (const [other, control] of asked) {
      if (asked.size < atOnce || waiters.has(other)) continue;
      asked.delete(other);
      control.abort();
    }
    pump();
  });
};

// Fetches a chunk again whose messages are out of date.
export const refill = (chunk) => {
  if (isEmpty(chunk)) return fill(chunk);
  empty(chunk);
  return fill(chunk);
};

const nearness = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) {
        near.add(target);
        continue;
      }
      near.delete(target);
      const control = asked.get(target);
      if (control && !waiters.has(target)) {
        asked.delete(target);
        control.abort();
      }
    }
    pump();
  },
  { rootMargin: nearBy },
);
const farness = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) far.delete(target);
      else far.add(target);
    }
    sweep();
  },
  { rootMargin: farAway },
);

let sweeping = 0;
const sweep = () => {
  if (sweeping) return;
  sweeping = setTimeout(() => {
    sweeping = 0;
    const gone = [...far].filter((chunk) => !isEmpty(chunk) && !isHeld(chunk));
    if (gone.length) keep(() => gone.forEach(empty));
  }, 500);
};

// Watches a chunk that was added to the page.
export const watch = (chunk) => {
  nearness.observe(chunk);
  farness.observe(chunk);
};

for (const chunk of chunks()) watch(chunk);
addEventListener("online", () => {
  failed.clear();
  pump();
});

// A fold that the reader opens by hand stays open.
document.addEventListener("click", (event) => {
  const summary = event.target.closest("summary");
  const chunk = summary && summary.closest(".chunk");
  if (chunk) chunk.setAttribute("data-held", "");
});
