// Deadlines and budget of a run that goes on, set where they are shown. Those of the next run are read by drive.js.
//
// In: the form of a run (data-limits), which the server paints with what is set (data-value). Out: a choice
// becomes a request, and the fields show what the run has, whichever window set it.

import { words } from "./cards.js";
import { say } from "./frame.js";
import { ask, newId } from "./key.js";

const { all } = window.unspool;

// Shows what the run has in fields that no person is in.
export const showLimits = () => {
  for (const field of all("[data-limits] [data-value]")) {
    if (field !== document.activeElement) field.value = field.dataset.value;
  }
};

// What a field of a deadline or a budget says; empty: off.
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
