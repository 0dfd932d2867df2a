// Runs before the page is painted: sets the chosen theme, and the class that shows that scripts run.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("unspool-theme");
    if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  } catch {
    // A browser that stores nothing shows the theme of the system.
  }
})();
