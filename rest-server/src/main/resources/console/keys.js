// What the key of this page may do, and all keys of the server. No secret is ever here.
import * as api from "./api.js";
import { make, table } from "./dom.js";
import * as format from "./format.js";

const RIGHTS = ["publish", "consume", "metrics", "admin"];
const COLUMNS = [{ name: "key", class: "left" }, { name: "id", class: "left" }, ...RIGHTS.map((name) => ({ name, class: "left" })), { name: "requests" }, { name: "messages" }, { name: "expires", class: "left" }];

function rate(limit) {
  if (limit === undefined) {
    return "any number";
  }
  return format.exact(limit.perSecond) + " a second" + (limit.burst === undefined ? "" : ", " + format.exact(limit.burst) + " at once");
}

function row(id, { key, limits = {}, ...rights }) {
  const expired = limits.expires !== undefined && Date.parse(limits.expires) <= Date.now();
  return make("tr", {},
    make("th", { scope: "row", class: "left", text: key }),
    make("td", { class: "left soft", text: id }),
    RIGHTS.map((right) => make("td", { class: rights[right].length === 0 ? "left soft" : "left", text: rights[right].join(", ") || "none" })),
    make("td", { text: rate(limits.requests) }),
    make("td", { text: rate(limits.messages) }),
    make("td", { class: expired ? "left bad" : "left", title: limits.expires, text: limits.expires === undefined ? "never" : (expired ? "expired " : "") + format.time(limits.expires) }));
}

export function open(main) {
  const own = api.access();
  const all = make("div");
  main.append(make("h1", { text: "Keys" }));
  if (own.key === "") {
    main.append(make("p", { text: "This server has no keys: all who reach it may do everything. ./river keys add makes the first one." }));
    return {};
  }
  main.append(table("The key of this page", COLUMNS, [row("", own)]), all);

  async function load() {
    try {
      const { keys } = await api.get("v1/keys");
      all.replaceChildren(
        table("All keys of the server", COLUMNS, keys.map(({ id, access }) => row(id, access))),
        make("p", { class: "soft", text: "Keys are made and revoked by ./river keys, so that no secret is shown in a browser. Admin includes all other rights." }),
      );
    } catch (failure) {
      all.replaceChildren(make("p", { class: "bad", role: "alert", text: failure.message }));
    }
  }

  if (api.may("admin", "*")) {
    load();
  } else {
    all.append(make("p", { class: "soft", text: "All keys are shown to a key that may administer every queue." }));
  }
  return {};
}
