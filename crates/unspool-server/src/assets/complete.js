// Completion in the prompt field: "/" completes commands of the client, "@" files of its folder.
//
// Input: the field, a function that returns the run, and one that returns the session and the folder (cwd) of
// a prompt. Output: the chosen completion replaces the word at the caret. A running client is asked; without
// one, commands are those of the last client there, and the server looks for files in the folder.

import { ask } from "./key.js";

const most = 8;

// Returns the menu that the client of a run offers, or the last client of the session or folder.
export const menuOf = (run, place) => ask("GET", run ? "/api/runs/" + run + "/menu" : "/api/menu?" + new URLSearchParams(place));

export const complete = (field, run, place) => {
  const list = document.createElement("ul");
  list.id = "completions";
  list.className = "completions";
  list.setAttribute("role", "listbox");
  list.hidden = true;
  field.after(list);
  field.setAttribute("aria-controls", list.id);

  let found = [];
  let at = 0;
  let asked = 0;
  let menu = { of: "", commands: [] };

  // Returns the word before the caret that begins with "/" at the start of the text, or with "@".
  const word = () => {
    const before = field.value.slice(0, field.selectionStart);
    const command = /^\/([\w:-]*)$/.exec(before);
    if (command) return { kind: "/", text: command[1] };
    const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
    return file ? { kind: "@", text: file[1] } : null;
  };

  const close = () => {
    list.hidden = true;
    found = [];
    field.removeAttribute("aria-activedescendant");
  };

  const paint = () => {
    list.hidden = !found.length;
    list.replaceChildren(
      ...found.map(({ name, about }, number) => {
        const item = document.createElement("li");
        item.id = "completion-" + number;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", String(number === at));
        const label = document.createElement("b");
        label.textContent = name;
        item.append(label, " " + (about || ""));
        item.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          take(number);
        });
        return item;
      }),
    );
    if (found.length) field.setAttribute("aria-activedescendant", "completion-" + at);
  };

  const take = (number) => {
    const here = word();
    const chosen = found[number];
    if (!here || !chosen) return;
    const end = field.selectionStart;
    field.setRangeText(chosen.name + " ", end - here.text.length - 1, end, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    close();
  };

  const commands = async (text) => {
    const of = run() || JSON.stringify(place());
    if (menu.of !== of) menu = { of, commands: (await menuOf(run(), place())).commands };
    const fits = menu.commands.filter(({ name }) => name.replace(/^\//, "").startsWith(text));
    return fits.map(({ name, description }) => ({ name: "/" + name.replace(/^\//, ""), about: description }));
  };

  const files = async (text) => {
    const query = { q: text, ...(run() ? {} : { cwd: place().cwd }) };
    const told = await ask("GET", (run() ? "/api/runs/" + run() : "/api") + "/files?" + new URLSearchParams(query));
    return told.files.map((path) => ({ name: "@" + path }));
  };

  const look = async () => {
    const here = word();
    if (!here || !(run() || place().cwd)) return close();
    asked += 1;
    const mine = asked;
    try {
      const all = await (here.kind === "/" ? commands(here.text) : files(here.text));
      if (mine !== asked) return;
      found = all.slice(0, most);
      at = 0;
      paint();
    } catch {
      close();
    }
  };

  field.addEventListener("input", look);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) at = (at + step + found.length) % found.length;
    else if (event.key === "Tab" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey)) take(at);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (step) paint();
  });
};
