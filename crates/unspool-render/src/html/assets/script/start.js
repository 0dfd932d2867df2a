// What happens when a page is opened: all of it is prepared, and what its address names is shown.
((unspool) => {
  "use strict";

  unspool.adopt(document);
  const asked = new URLSearchParams(location.search).get("find");
  if (asked && unspool.one("#find")) unspool.land(asked);
  else if (location.hash) unspool.goToTarget();
})(window.unspool);
