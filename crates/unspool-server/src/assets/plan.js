// The plan of a run, shown before the run starts: folder, home, command, environment.
//
// plans shows the plan for the current choices in the prompt form. It takes the form, a function that returns
// the open run, one that returns the body of a request that starts a run, and one that returns the message of
// an error. confirmPlan takes the plan for a button that continues a run, and returns whether a person
// confirms it. Texts of the server are inserted as text, never as markup.

import { ask } from "./key.js";

const part = (name, text, className) => Object.assign(document.createElement(name), { textContent: text, className: className || "" });

const seconds = (limit) => {
  if (limit === null) return "off";
  return limit % 60 ? limit + " s" : limit / 60 + " min";
};

const trusts = {
  trusted: "trusted",
  changed: "not trusted any more: what runs code has changed",
  untrusted: "not trusted yet",
};

// Returns the rows of a plan: a name, and texts that have a line each.
const rowsOf = (plan) => {
  const set = Object.entries(plan.environment);
  const given = set.filter(([, value]) => value !== null).map(([name, value]) => name + "=" + value);
  const removed = set.filter(([, value]) => value === null).map(([name]) => "without " + name);
  return [
    ["Folder", [plan.cwd + " (" + trusts[plan.trust] + ")"]],
    ["Runs code", plan.sources.length ? plan.sources.map(({ kind, what, file }) => kind + ": " + what + " (" + file + ")") : ["nothing of the folder"]],
    ...(plan.broken.length ? [["Broken settings", plan.broken.map(({ file, reason }) => file + ": " + reason)]] : []),
    ["Home", [plan.home]],
    ["Environment", ["that of the server without UNSPOOL_*", ...removed, ...given]],
    ["Command", [plan.command.join(" ")]],
    ["Deadlines", ["idle " + seconds(plan.deadlines.idle) + ", waiting " + seconds(plan.deadlines.waiting)]],
    ...(plan.budget === null ? [] : [["Budget", ["$" + plan.budget]]]),
  ];
};

const paintRows = (list, plan) => {
  list.replaceChildren(
    ...rowsOf(plan).flatMap(([name, texts]) => {
      const value = document.createElement("dd");
      value.append(...texts.map((text) => part("div", text)));
      return [part("dt", name, name === "Broken settings" ? "bad" : ""), value];
    }),
  );
};

// Shows a plan and asks whether to start it.
export const confirmPlan = (plan, name) =>
  new Promise((done) => {
    const dialog = part("dialog", "", "confirm plan-view");
    const title = part("h2", name);
    dialog.setAttribute("aria-label", name);
    const list = document.createElement("dl");
    paintRows(list, plan);
    const row = part("div", "", "acts");
    for (const [words, answer] of [[name, "yes"], ["Not now", ""]]) {
      const button = part("button", words, answer ? "main" : "");
      button.type = "button";
      button.addEventListener("click", () => dialog.close(answer));
      row.append(button);
    }
    dialog.append(title, part("p", "This starts Claude Code in " + plan.cwd), list, row);
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });

export const plans = (form, running, body, words) => {
  const starts = form.querySelector(".starts");
  const view = starts.querySelector("details");
  const list = view.querySelector("dl");
  let shown = "";

  const paint = (plan) => {
    view.hidden = false;
    view.querySelector("summary span").textContent = plan.cwd;
    paintRows(list, plan);
  };

  // Shows the plan for the current choices, unless it is shown already.
  const show = async () => {
    starts.hidden = Boolean(running());
    if (starts.hidden) return;
    const wanted = body();
    const key = JSON.stringify(wanted);
    if (!wanted.cwd || key === shown) return;
    try {
      const plan = await ask("POST", "/api/plan", wanted);
      if (key !== JSON.stringify(body())) return;
      paint(plan);
      shown = key;
    } catch (error) {
      view.hidden = true;
      starts.querySelector(".why").textContent = words(error);
      return;
    }
    starts.querySelector(".why").textContent = "";
  };

  // The folder of a new session is a field next to the form.
  const around = form.closest(".new-session") || form;
  around.addEventListener("focusin", show);
  around.addEventListener("change", show);
  const board = document.getElementById("drive-state");
  const follow = () => (starts.hidden = Boolean(running()));
  const watch = new MutationObserver(follow);
  if (board) watch.observe(board, { attributes: true, attributeFilter: ["data-run", "data-state"] });
  watch.observe(form, { attributes: true, attributeFilter: ["data-at"] });
  follow();
  return show;
};
