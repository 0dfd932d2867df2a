// Runs before the page is painted: light or dark as it was chosen, and the mark that scripts run.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("unspool-theme");
    if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  } catch {
    // A browser that keeps nothing shows what the system prefers.
  }
})();
