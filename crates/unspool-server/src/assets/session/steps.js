// Moving to the next or previous turn, message, error, change or call, even if the page does not have it yet.
//
// The script of transcripts moves over elements of the page. Here these are the filled chunks
// around the reader without a gap; beyond them the server finds the next message.

import { wayTo } from "./chunks.js";
import { say } from "./frame.js";
import { chunkAt, chunks, isEmpty, readingAt } from "./place.js";
import { goToMessage, goToName, json } from "./seek.js";

const { unspool } = window;
const { dataset } = document.body;

// Returns the filled chunks around the reader, without a gap.
const around = () => {
  const all = [...chunks()];
  const at = all.indexOf(chunkAt(unspool.line()));
  if (at < 0 || isEmpty(all[at])) return [];
  let first = at;
  let last = at;
  while (first > 0 && !isEmpty(all[first - 1])) first -= 1;
  while (last + 1 < all.length && !isEmpty(all[last + 1])) last += 1;
  return all.slice(first, last + 1);
};

// A folded element is unfolded; an element that is not shown at all is skipped.
const isFolded = (element) => Boolean(element.parentElement.closest("details:not([open])"));
const isShown = (element) => isFolded(element) || element.checkVisibility();

const stepOver = (selector, way, takes = isShown) => {
  const elements = around().flatMap((chunk) => [...chunk.querySelectorAll(selector)]);
  return unspool.step(elements.filter(takes), way);
};

// Returns the first message beyond the chunks around the reader.
const beyond = (way) => {
  const filled = around();
  const reading = readingAt();
  if (!filled.length) return reading ? reading.ordinal + way : 0;
  return way > 0 ? Number(filled[filled.length - 1].dataset.to) : Number(filled[0].dataset.from) - 1;
};

const stepTo = async (kind, way, selector) => {
  if (stepOver(selector, way)) return;
  const from = beyond(way);
  try {
    if (from < 0) throw Object.assign(new Error("no more"), { status: 404 });
    const place = await json(wayTo("where", { next: kind, from, way: way > 0 ? "on" : "back" }));
    if (!(await goToMessage(place.ordinal))) return;
    const message = document.querySelector('article[data-m="' + place.ordinal + '"]');
    const found = [...message.querySelectorAll(selector)];
    if (found.length) unspool.step([way > 0 ? found[0] : found[found.length - 1]], way);
  } catch (error) {
    say(error.status === 404 ? "There is no further " + kind : "This could not be loaded");
  }
};

const numberOf = (section) => {
  const link = section && section.querySelector(":scope > h2 a");
  return link ? Number(link.hash.slice("#turn-".length)) : 0;
};

const stepTurn = async (way) => {
  if (stepOver(".turn[id]", way, () => true)) return;
  const reading = readingAt();
  const here = numberOf(reading && reading.message && reading.message.closest(".turn"));
  const edge = around();
  const known = edge.length ? [...edge[way > 0 ? edge.length - 1 : 0].querySelectorAll(".turn")] : [];
  const last = numberOf(way > 0 ? known[known.length - 1] : known[0]) || here;
  // A turn that continues from an empty chunk begins in that chunk.
  const goesOn = way < 0 && known[0] && !known[0].id;
  const next = goesOn ? last : last + way;
  if (next >= 1 && next <= Number(dataset.turns)) await goToName("turn-" + next);
};

const stepMessage = async (way) => {
  if (stepOver("article.msg[data-m]", way)) return;
  const next = beyond(way);
  if (next >= 0) await goToMessage(next);
};

const hasSearch = () => {
  const input = document.getElementById("find");
  return Boolean(input && input.value.trim());
};
const stepMatch = (way) => {
  if (hasSearch()) unspool.find.step(way);
  else stepTo("call", way, "details.call");
};

for (const [word, way] of [["next-", 1], ["previous-", -1]]) {
  unspool.define(word + "turn", () => stepTurn(way));
  unspool.define(word + "message", () => stepMessage(way));
  unspool.define(word + "match", () => stepMatch(way));
  unspool.define(word + "error", () => stepTo("error", way, ".call.failed, article.msg.error"));
  unspool.define(word + "change", () => stepTo("change", way, ".call.change"));
}
