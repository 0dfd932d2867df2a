// The state of the connection, for the bar of every page.

import { setConnected } from "./times.js";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const words = {
  live: () => "live",
  asking: () => "live, asks every 2 s",
  trying: (since) => "not connected since " + clock.format(since) + " \u2014 trying",
  refused: () => "this browser is not let in any more: open a new link (unspool serve --link)",
};

// Shows a state ("live", "asking", "trying" or "refused") and since when it lasts.
export const paintState = (name, since) => {
  const mark = document.getElementById("link");
  document.documentElement.dataset.link = name;
  setConnected(name === "live" || name === "asking");
  if (!mark) return;
  mark.dataset.state = name;
  mark.querySelector(".words").textContent = words[name](since);
};
