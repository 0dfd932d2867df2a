// Permissions and model of an open run, changed in the fields that set them for a new run.
//
// Input: the form with both fields, a function that returns the run, one that returns the session
// and the folder of the next run, and one that returns the message of an error. Output: a choice
// becomes a request, and the fields show the values of the run, whichever window changed them.

import { menuOf } from "./complete.js";
import { say } from "./frame.js";
import { ask, newId } from "./key.js";

export const switches = (form, run, place, words) => {
  const mode = form.querySelector("[name=mode]");
  const model = form.querySelector("[name=model]");
  const board = document.getElementById("drive-state");

  // Shows the values of the run. A mode that is not offered gets its own option.
  const show = () => {
    if (!board || !run()) return;
    const has = board.dataset.mode;
    if (has && ![...mode.options].some((option) => option.value === has)) mode.add(new Option(has, has));
    if (has) mode.value = has;
    model.placeholder = board.dataset.model || "model";
  };

  const change = async (field, body, told) => {
    const of = run();
    // Without a run, the choice applies to the next one.
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

  // The client lists its models; without an answer any name can be typed.
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
      // The name can be typed.
    }
  });

  if (board) new MutationObserver(show).observe(board, { attributes: true, attributeFilter: ["data-mode", "data-model", "data-run"] });
  show();
};
