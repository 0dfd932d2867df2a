// How far the session was read: the line where new messages begin, and the mark for the next time.
//
// The page contains the last message that was read before. The mark moves forward with the reader,
// never back, and only while the page is visible.

import { onFilled, wayTo } from "./chunks.js";
import { chunkAt, isEmpty, keep } from "./place.js";
import { writeTimes } from "./times.js";

const { dataset } = document.body;
const read = dataset.read === undefined ? -1 : Number(dataset.read);

// The line, in chunks that are filled later

const drawLine = (chunk) => {
  if (read < 0 || document.getElementById("fresh")) return;
  const message = chunk.querySelector('article[data-m="' + read + '"]');
  if (!message) return;
  const line = document.createElement("p");
  line.className = "interlude fresh";
  line.id = "fresh";
  const words = document.createElement("span");
  const time = document.createElement("time");
  time.dateTime = dataset.readAt;
  time.dataset.as = "minute";
  words.append("new since ", time);
  line.append(words);
  keep(() => message.after(line));
  writeTimes(line);
};
onFilled(drawLine);

// The mark

const marks = !dataset.pinned && !dataset.view && !dataset.base.includes("/a/") && Boolean(dataset.path);
let best = read;
let told = read;
let timer = 0;

const tell = async () => {
  timer = 0;
  const message = document.querySelector('#transcript article[data-m="' + best + '"]');
  const raw = message && message.querySelector("a.to-raw");
  if (!raw || best <= told) return;
  const entry = decodeURIComponent(new URL(raw.href).pathname.split("/").pop());
  told = best;
  const way = wayTo("read", { entry });
  await fetch(way, { method: "POST", headers: { "X-Unspool": "1" }, keepalive: true }).catch(() => {
    told = read;
  });
};

const look = () => {
  if (document.hidden) return;
  const chunk = chunkAt(innerHeight - 1);
  if (!chunk || isEmpty(chunk)) return;
  const messages = [...chunk.querySelectorAll("article[data-m]")];
  const last = messages.findLast((message) => message.getBoundingClientRect().bottom <= innerHeight + 8);
  const ordinal = last ? Number(last.dataset.m) : Number(chunk.dataset.from) - 1;
  if (ordinal <= best) return;
  best = ordinal;
  if (!timer) timer = setTimeout(tell, 1500);
};

export const beginReading = () => {
  if (!marks) return;
  addEventListener("scroll", () => requestAnimationFrame(look), { passive: true });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) tell();
    else look();
  });
  addEventListener("pagehide", tell);
  onFilled(look);
  document.addEventListener("unspool:live", look);
  requestAnimationFrame(look);
};

// Goes to where new messages begin; returns false if there are none.
export const goToFresh = () => {
  const line = document.getElementById("fresh");
  if (!line) return false;
  line.scrollIntoView({ block: "center", behavior: "instant" });
  return true;
};
