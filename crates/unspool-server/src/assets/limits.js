// Deadlines and budget of an open run, changed where they are shown. drive.js reads those of the next run.
//
// Input: the form of a run (data-limits), which the server paints with the current values
// (data-value). Output: a choice becomes a request, and the fields show the values of the run,
// whichever window changed them.

import { words } from "./cards.js";
import { say } from "./frame.js";
import { ask, newId } from "./key.js";

const { all } = window.unspool;

// Shows the values of the run in fields without the focus.
export const showLimits = () => {
  for (const field of all("[data-limits] [data-value]")) {
    if (field !== document.activeElement) field.value = field.dataset.value;
  }
};

// Returns the value of a deadline or a budget; null if the field is empty, which means off.
export const limitOf = (field) => (field.value.trim() === "" ? null : Number(field.value));

document.addEventListener("change", async (event) => {
  const field = event.target.closest("[data-limits] [data-value]");
  const run = field?.closest("[data-run]")?.dataset.run;
  if (!run || !field.checkValidity()) return;
  try {
    await ask("POST", "/api/runs/" + run + "/deadlines", { id: newId(), [field.name]: limitOf(field) });
    field.dataset.value = field.value;
    say("Set");
  } catch (error) {
    field.value = field.dataset.value;
    say(words(error));
  }
});
document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-limits]")) event.preventDefault();
});
document.addEventListener("unspool:patched", showLimits);
showLimits();
