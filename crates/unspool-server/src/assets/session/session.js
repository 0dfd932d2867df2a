// The page of a session: loads its parts and goes to where reading begins.

import "./acts.js";
import { fill } from "./chunks.js";
import { beginLive, goToEnd } from "./live.js";
import { chunks, isEmpty, remember } from "./place.js";
import { begin, goToMessage, noteWhere, setOut } from "./seek.js";
import "./rail.js";
import { beginReading, goToFresh } from "./read.js";
import "./steps.js";
import { tellZone } from "./times.js";

const { unspool } = window;
const { dataset } = document.body;

history.scrollRestoration = "manual";
tellZone();

// The ends of the conversation may be far from the chunks in the page.
unspool.define("first", () => {
  setOut();
  noteWhere();
  scrollTo({ top: 0, behavior: "instant" });
  remember();
});
unspool.define("last", async () => {
  const isNewest = setOut();
  const again = () => {
    if (isNewest()) goToEnd();
  };
  noteWhere();
  const last = chunks()[chunks().length - 1];
  goToEnd();
  if (last && isEmpty(last)) await fill(last);
  again();
  requestAnimationFrame(() => requestAnimationFrame(again));
});

const state = history.state || {};
if (Number.isInteger(state.ordinal) && performance.getEntriesByType("navigation")[0]?.type !== "navigate") {
  goToMessage(state.ordinal);
} else if (!begin() && !goToFresh() && (dataset.live || [...chunks()].some(isEmpty))) {
  // A live or a long session begins at its newest messages, a short one at its top.
  goToEnd();
}
remember();
beginReading();
beginLive();
