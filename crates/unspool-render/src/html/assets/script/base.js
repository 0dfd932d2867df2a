// What a page does beyond being read. Without it everything is still there.
//
// The script of a page is these files one after the other: base, theme, folds, find, moves, copy, sides,
// outline, keys, start. Exported pages contain it, server pages load it. Listeners are on the document, so
// markup that comes later works like markup that was there; the little that has to be prepared is
// prepared by adopt().
//
// window.unspool is what the files, and other scripts of a page, share:
//
//   define(name, run)   makes an action, or replaces it. Keys and elements with data-do="name" run it.
//   run(name)           runs an action; tells whether there is one.
//   adopt(root)         prepares what is inside of an element that was put into the page or filled.
//   adopting(prepare)   has prepare(root) called at the start and for all that is adopted.
//   closing(close)      has close() called on Escape, the newest first, until one returns true.
//   setting(name)       a choice of the reader that is kept: get(), set(value), and on(listen).
//   all(selector, from), one(selector, from)
//   plain(text)         small letters without accents, each where it was.
//   reveal(element)     unfolds what an element is in; show(element, block) scrolls to it too.
//   line()              where reading begins: the lower edge of the bar.
//   step(elements, way) goes to the next (1) or previous (-1) of elements, from what is read.
//   find                search(text, from), step(way), goTo(index), and what was found: text, ranges, at.
window.unspool = (() => {
  "use strict";

  const root = document.documentElement;
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const one = (selector, from = document) => from.querySelector(selector);

  // What a reader chose is kept where the browser allows it; pages from a disk may have no such place.
  const setting = (name) => {
    const key = "unspool-" + name;
    let here = null;
    return {
      get() {
        try {
          return localStorage.getItem(key);
        } catch {
          return here;
        }
      },
      set(value) {
        here = value;
        try {
          localStorage.setItem(key, value);
        } catch {
          // The choice is for this page.
        }
      },
      // What is chosen in another window of the browser is chosen here too.
      on(listen) {
        addEventListener("storage", (event) => {
          if (event.key === key) listen(event.newValue);
        });
      },
    };
  };

  // Places found in it are places of the text.
  const plain = (text) => {
    const bare = (letter) => {
      const base = letter.normalize("NFKD").replace(/\p{M}/gu, "");
      return base.length === 1 ? base : letter;
    };
    return text.replace(/[^\x00-\x7f]/g, bare).toLowerCase();
  };

  const line = () => {
    const tools = one(".tools");
    return tools ? tools.getBoundingClientRect().bottom + 8 : 0;
  };

  const actions = new Map();
  const define = (name, run) => actions.set(name, run);
  const run = (name) => {
    const action = actions.get(name);
    if (action) action();
    return Boolean(action);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) run(button.dataset.do);
  });

  const adopters = [];
  const adopting = (prepare) => adopters.push(prepare);
  const adopt = (from) => {
    for (const prepare of adopters) prepare(from);
  };

  const closers = [];
  const closing = (close) => closers.unshift(close);
  define("close", () => closers.some((close) => close() === true));

  root.classList.add("js");
  for (const part of all(".tools .find, .tools .buttons")) part.hidden = false;

  return { define, run, adopt, adopting, closing, setting, all, one, plain, line };
})();
