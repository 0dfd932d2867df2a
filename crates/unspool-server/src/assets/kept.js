// What a reader chose is kept where the browser allows it. Exported pages use the same names.

export const kept = {
  get(name) {
    try {
      return localStorage.getItem("unspool-" + name);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem("unspool-" + name, value);
    } catch {
      // The choice holds for this page.
    }
  },
};
