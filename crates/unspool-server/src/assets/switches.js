// Permissions and model of a run that goes on, switched where they are chosen for a new one.
//
// In: the form with both fields, a function that gives the run, one that gives the session and the folder of the
// next one, and one that gives words for an error. Out: a choice becomes a request, and the fields show what
// the run has, whichever window switched it.

import { menuOf } from "./complete.js";
import { say } from "./frame.js";
import { ask, newId } from "./key.js";

export const switches = (form, run, place, words) => {
  const mode = form.querySelector("[name=mode]");
  const model = form.querySelector("[name=model]");
  const board = document.getElementById("drive-state");

  // Shows what the run has. A mode that is not offered gets an option of its own.
  const show = () => {
    if (!board || !run()) return;
    const has = board.dataset.mode;
    if (has && ![...mode.options].some((option) => option.value === has)) mode.add(new Option(has, has));
    if (has) mode.value = has;
    model.placeholder = board.dataset.model || "model";
  };

  const change = async (field, body, told) => {
    const of = run();
    // Without a run the choice is for the next one.
    if (!of) return;
    field.disabled = true;
    try {
      await ask("POST", "/api/runs/" + of + "/mode", { id: newId(), ...body });
      if (field === model) model.value = "";
      say(told);
    } catch (error) {
      say(words(error));
      show();
    } finally {
      field.disabled = false;
    }
  };

  mode.addEventListener("change", () => change(mode, { permission_mode: mode.value }, "Permissions switched"));
  model.addEventListener("change", () => {
    const name = model.value.trim();
    if (name) change(model, { model: name }, "Model switched");
  });

  // The client says which models it has; without an answer any name can be written.
  let offered = "";
  model.addEventListener("focus", async () => {
    const of = run() || JSON.stringify(place());
    if (offered === of || !(run() || place().cwd)) return;
    try {
      const { models } = await menuOf(run(), place());
      const options = models.map(({ value, name }) => Object.assign(document.createElement("option"), { value, label: name }));
      document.getElementById("models").replaceChildren(...options);
      offered = of;
    } catch {
      // The name can be written.
    }
  });

  if (board) new MutationObserver(show).observe(board, { attributes: true, attributeFilter: ["data-mode", "data-model", "data-run"] });
  show();
};
