// Changes side by side: an unchanged line is on both sides, and doubled only while this view is on.
((unspool) => {
  "use strict";

  const { all, one } = unspool;
  const root = document.documentElement;
  const kept = unspool.setting("sides");
  const are = () => root.classList.contains("sides");

  const double = (from) => {
    for (const row of all(".diff > .row:not(.note):not(.both)", from)) {
      const twin = row.querySelector("code").cloneNode(true);
      twin.className = "twin";
      twin.setAttribute("aria-hidden", "true");
      row.classList.add("both");
      row.append(twin);
    }
  };
  const set = (on) => {
    if (on) double(document);
    root.classList.toggle("sides", on);
    const button = one("button[data-do=sides]");
    if (button) button.setAttribute("aria-pressed", String(on));
  };

  unspool.define("sides", () => {
    set(!are());
    kept.set(are() ? "1" : "");
  });
  unspool.adopting((from) => {
    if (are()) double(from);
  });
  if (kept.get() && one("button[data-do=sides]")) set(true);
})(window.unspool);
