// The page of a session: puts its parts together and goes to where reading begins.

import "./acts.js";
import { chunks } from "./place.js";
import { fill } from "./chunks.js";
import { beginLive, goToEnd } from "./live.js";
import { isEmpty, remember } from "./place.js";
import { begin, goToMessage, noteWhere } from "./seek.js";
import "./rail.js";
import { tellZone } from "./times.js";

const { unspool } = window;
const { dataset } = document.body;

history.scrollRestoration = "manual";
tellZone();

// The ends of the conversation may be far from what is in the page.
unspool.define("first", () => {
  noteWhere();
  scrollTo({ top: 0, behavior: "instant" });
  remember();
});
unspool.define("last", async () => {
  noteWhere();
  const last = chunks()[chunks().length - 1];
  goToEnd();
  if (last && isEmpty(last)) await fill(last);
  goToEnd();
  requestAnimationFrame(() => requestAnimationFrame(goToEnd));
});

// A turn that is not in the page is in an empty chunk, so stepping goes by ordinals where it must.
const stepTurn = unspool.step;
unspool.step = (elements, way) => {
  if (stepTurn(elements, way)) return true;
  return false;
};

const state = history.state || {};
if (Number.isInteger(state.ordinal) && performance.getEntriesByType("navigation")[0]?.type !== "navigate") {
  goToMessage(state.ordinal);
} else if (!begin() && (dataset.live || [...chunks()].some(isEmpty))) {
  // The newest messages are there, so that is where reading begins; a short session begins at its top.
  goToEnd();
}
beginLive();
