// Keys: a table of what a key does on this page, and the help that lists it.
//
// Pages add rows with bindKeys; a later row for a key takes the place of an earlier one. After "g" a
// letter follows a link of the page that has it as data-go. Letters do nothing in a field, with a
// modifier, or when the reader has switched them off.

import { kept } from "./kept.js";

const rows = new Map();
let goes = 0;

// Adds rows: [key, what it does, function]. Several keys may share a row: "j k".
export const bindKeys = (table) => {
  for (const [keys, what, act] of table) {
    for (const key of keys.split(" ")) rows.set(key, { keys, what, act });
  }
};

const areOn = () => kept.get("letters") !== "off";
const goLinks = () => [...document.querySelectorAll("a[data-go]")];

const go = (letter) => {
  const link = goLinks().find((known) => known.dataset.go === letter);
  if (link) location.href = link.href;
};

const isTyping = (target) => target instanceof Element && Boolean(target.closest("input, textarea, select, [contenteditable]"));

const onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTyping(event.target)) return;
  const inDialog = event.target instanceof Element && event.target.closest("dialog");
  if (inDialog && event.key !== "?") return;
  if (!areOn() && event.key.length === 1) return;
  if (Date.now() < goes) {
    goes = 0;
    event.preventDefault();
    go(event.key);
    return;
  }
  const row = rows.get(event.key);
  if (event.key === "g" && !row) {
    goes = Date.now() + 1500;
    event.preventDefault();
    return;
  }
  if (row && row.act(event.key) !== false) event.preventDefault();
};

const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
};

const helpRow = (list, keys, what) => {
  const name = element("dt");
  for (const key of keys) name.append(element("kbd", key), " ");
  list.append(name, element("dd", what));
};

const makeHelp = () => {
  const dialog = element("dialog", "", "keys");
  dialog.setAttribute("aria-label", "Keys");
  const list = element("dl");
  const told = new Set();
  for (const row of rows.values()) {
    if (row.what && !told.has(row.what)) helpRow(list, row.keys.split(" "), row.what);
    told.add(row.what);
  }
  const letters = new Set();
  for (const link of goLinks()) {
    if (letters.has(link.dataset.go)) continue;
    letters.add(link.dataset.go);
    helpRow(list, ["g", link.dataset.go], "go to " + (link.dataset.what || link.textContent.trim().toLowerCase()));
  }
  const choice = element("label", "", "choice");
  const box = element("input");
  box.type = "checkbox";
  box.checked = areOn();
  box.addEventListener("change", () => kept.set("letters", box.checked ? "on" : "off"));
  choice.append(box, " Single letters are keys");
  const close = element("button", "Close");
  close.type = "button";
  close.addEventListener("click", () => dialog.close());
  const foot = element("div", "", "foot");
  foot.append(choice, close);
  dialog.append(element("h2", "Keys"), list, foot);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
};

// Shows what keys do, or hides it.
export const help = () => {
  const open = document.querySelector("dialog.keys");
  if (open) {
    open.close();
    return;
  }
  const dialog = makeHelp();
  document.body.append(dialog);
  dialog.showModal();
};

document.addEventListener("keydown", onKey);
