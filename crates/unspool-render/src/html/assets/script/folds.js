// Folds, and links into them.
((unspool) => {
  "use strict";

  const { all, one } = unspool;
  const root = document.documentElement;

  unspool.reveal = (element) => {
    for (let at = element; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
      if (at.classList.contains("quiet")) at.classList.add("shown");
    }
  };

  unspool.define("unfold", () => {
    const open = !root.classList.contains("everything");
    for (const details of all("main details")) details.open = open;
    root.classList.toggle("everything", open);
    const button = one("button[data-do=unfold]");
    if (!button) return;
    button.setAttribute("aria-pressed", String(open));
    button.textContent = open ? "Fold" : "Unfold";
  });
  unspool.adopting((from) => {
    if (!root.classList.contains("everything")) return;
    for (const details of all("details", from)) if (details.closest("main")) details.open = true;
  });

  let closedForPrint = [];
  addEventListener("beforeprint", () => {
    closedForPrint = all("main details:not([open])");
    for (const details of closedForPrint) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closedForPrint) details.open = false;
  });

  unspool.show = (element, block = "start") => {
    unspool.reveal(element);
    const scroll = () => element.scrollIntoView({ block, behavior: "instant" });
    scroll();
    // Turns that come into view get their real height, which moves everything below them.
    requestAnimationFrame(() => requestAnimationFrame(scroll));
  };

  // Links into the page unfold their target.

  unspool.target = () => {
    let name = location.hash.slice(1);
    try {
      name = decodeURIComponent(name);
    } catch {
      // The hash is not the name of an element.
    }
    return name ? document.getElementById(name) : null;
  };
  unspool.goToTarget = () => {
    const element = unspool.target();
    if (element && element.closest("main") && element.tagName !== "MAIN") {
      if (element.tagName === "DETAILS") element.open = true;
      unspool.show(element);
    }
  };
  addEventListener("hashchange", () => unspool.goToTarget());
})(window.unspool);
