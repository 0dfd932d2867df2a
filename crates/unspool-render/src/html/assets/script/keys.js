// Keys. The bindings come from the page's help: an element with data-action contains an element with data-key
// for each of its keys, in the notation of the program's table ("j", "Escape", "g t").
((unspool) => {
  "use strict";

  const { all, one } = unspool;
  const dialog = one("dialog.keys");

  const bound = new Map();
  const begun = new Set();
  for (const key of all("[data-key]", dialog || document.createElement("p"))) {
    const presses = key.dataset.key.split(" ");
    bound.set(key.dataset.key, key.closest("[data-action]").dataset.action);
    for (let count = 1; count < presses.length; count += 1) begun.add(presses.slice(0, count).join(" "));
  }

  // Keys of one character can be switched off, because speech input and accidental key presses would trigger
  // them.
  const kept = unspool.setting("letters");
  let letters = true;
  const setLetters = (value) => {
    letters = value !== "off";
    for (const box of all("[data-setting=letters]")) box.checked = letters;
  };
  setLetters(kept.get());
  kept.on(setLetters);
  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-setting=letters]")) return;
    kept.set(event.target.checked ? "on" : "off");
    setLetters(kept.get());
  });

  unspool.define("help", () => {
    if (!dialog) return;
    if (dialog.open) dialog.close();
    else dialog.showModal();
  });

  // A key continues a sequence that has begun, if it follows soon and fits.
  const patience = 2000;
  let before = "";
  let timer = 0;
  const sequence = (name) => {
    const whole = before ? before + " " + name : name;
    const full = bound.has(whole) || begun.has(whole) ? whole : name;
    clearTimeout(timer);
    before = begun.has(full) ? full : "";
    if (before) timer = setTimeout(() => (before = ""), patience);
    return full;
  };

  const isTyped = (target) => target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (["Shift", "AltGraph", "CapsLock"].includes(key) || event.isComposing) return;
    if (isTyped(target)) return;
    // These keys press the focused element.
    if (["Enter", " "].includes(key) && target.closest("a[href], button, summary")) return;
    if (!letters && key.length === 1) return;
    const full = sequence(key === " " ? "Space" : key);
    if (before) {
      event.preventDefault();
      return;
    }
    const action = bound.get(full);
    // An open dialog has its own keys.
    const inside = target.closest("dialog");
    if (!action || (inside && (inside !== dialog || action !== "help"))) return;
    if (unspool.run(action) && key !== "Escape") event.preventDefault();
  });
})(window.unspool);
