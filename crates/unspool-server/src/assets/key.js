// The key to drive: a one-time link passes it once, after "#" in the address, and this browser
// stores it for this address.

const name = "unspool-key";
const found = /^#key=([0-9a-f]{64})$/.exec(location.hash);
if (found) {
  try {
    localStorage.setItem(name, found[1]);
  } catch {
    // A browser that stores nothing can read but not drive.
  }
  history.replaceState(null, "", location.pathname + location.search);
}

const key = () => {
  try {
    return localStorage.getItem(name) || "";
  } catch {
    return "";
  }
};

// Returns the name that other tabs show for this one.
const tab = () => {
  let id = sessionStorage.getItem("unspool-tab");
  if (!id) {
    id = "tab " + Math.random().toString(16).slice(2, 6);
    sessionStorage.setItem("unspool-tab", id);
  }
  return id;
};

// Sends a request to the server. Returns the answer, or throws the problem that the server reports.
export const ask = async (method, way, body) => {
  const headers = { "X-Unspool": "1", "X-Unspool-Key": key(), "X-Unspool-Who": tab() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(way, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const type = response.headers.get("content-type") || "";
  const told = type.includes("json") ? await response.json() : {};
  if (!response.ok) throw Object.assign(new Error(told.detail || "status " + response.status), { problem: told });
  return told;
};

// Makes an id: a request that is sent twice counts once.
export const newId = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};
