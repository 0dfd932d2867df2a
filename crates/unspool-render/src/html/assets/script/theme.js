// The light and the dark theme.
((unspool) => {
  "use strict";

  const root = document.documentElement;
  const kept = unspool.setting("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = (name) => {
    if (name === "dark" || name === "light") root.dataset.theme = name;
  };

  set(kept.get());
  kept.on(set);
  unspool.define("theme", () => {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    set(now === "dark" ? "light" : "dark");
    kept.set(root.dataset.theme);
  });
})(window.unspool);
