// Prepares a page when it is opened, and shows the element or the search in its address.
((unspool) => {
  "use strict";

  unspool.adopt(document);
  const asked = new URLSearchParams(location.search).get("find");
  if (asked && unspool.one("#find")) unspool.land(asked);
  else if (location.hash) unspool.goToTarget();
})(window.unspool);
