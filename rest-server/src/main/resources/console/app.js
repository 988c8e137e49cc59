// The shell: key, location, and the one stream of figures that the open page is updated from.
import * as api from "./api.js";
import { make, replace, setText } from "./dom.js";
import * as format from "./format.js";
import * as overview from "./overview.js";
import * as queue from "./queue.js";
import * as subscriber from "./subscriber.js";
import * as messages from "./messages.js";
import * as settings from "./settings.js";
import * as blocks from "./blocks.js";
import * as keys from "./keys.js";

const state = document.getElementById("state");
const main = document.getElementById("main");
const crumbs = document.getElementById("crumbs");
const RETRY_MILLIS = 2000;

let figures = { queues: new Map(), subscribers: [], at: null };
let page = null;
let route = null;
let generation = 0;
let controller = null;
let heard = 0;
let trouble = "connecting…";
let rights = "";

/** The page of a location that there is not. */
const nowhere = {
  open(where) {
    where.append(make("h1", { text: "Not found" }), make("p", { class: "empty" }, "There is no such page. ", make("a", { href: "#/", text: "All queues" })));
  },
};

/** Reads "#/queues/NAME/subscribers/NAME/dead?from=5". */
function parseRoute() {
  const [path, query = ""] = location.hash.replace(/^#/, "").split("?");
  const parts = path.split("/").filter((part) => part !== "").map(decodeURIComponent);
  const found = { queue: parts[0] === "queues" ? parts[1] : undefined, query: new URLSearchParams(query) };
  if (found.queue === undefined) {
    const pages = { queues: overview, keys };
    return { ...found, module: parts.length === 0 ? overview : Object.hasOwn(pages, parts[0]) ? pages[parts[0]] : nowhere, tab: "" };
  }
  if (parts[2] === "subscribers" && parts[3] !== undefined) {
    return { ...found, subscriber: parts[3], tab: parts[4] ?? "", module: parts[4] === "settings" ? settings : subscriber };
  }
  const modules = { messages, settings, blocks };
  return { ...found, tab: parts[2] ?? "", module: modules[parts[2]] ?? queue };
}

function showCrumbs() {
  const links = [make("a", { href: "#/", text: "Queues" })];
  if (route.queue !== undefined) {
    links.push(make("a", { href: "#/queues/" + route.queue, text: route.queue }));
  }
  if (route.subscriber !== undefined) {
    links.push(make("a", { href: "#/queues/" + route.queue + "/subscribers/" + route.subscriber, text: route.subscriber }));
  }
  if (route.module === keys) {
    links.push(make("a", { href: "#/keys", text: "Keys" }));
  }
  links[links.length - 1].setAttribute("aria-current", "page");
  crumbs.replaceChildren(...links.flatMap((link, i) => (i === 0 ? [link] : [" › ", link])));
  document.title = [route.subscriber, route.queue, route.module === keys && "Keys", "River"].filter(Boolean).join(" · ");
}

/** Shows the page of the location, once it is known what the key may do. */
function render() {
  page?.close?.();
  page = null;
  replace(main);
  if (rights !== "") {
    page = route.module.open(main, route);
  }
}

function open() {
  const before = route;
  route = parseRoute();
  render();
  showCrumbs();
  if (before === null || before.queue !== route.queue) {
    figures = { queues: new Map(), subscribers: [], at: null };
    connect();
  } else if (figures.at !== null) {
    page?.update?.(figures);
  }
  if (before !== null) {
    main.focus();
  }
}

function accept(line) {
  if (line.complete) {
    figures = { queues: new Map(), subscribers: [], at: null };
  }
  line.queues.forEach((row) => figures.queues.set(row.name, row));
  line.removed.forEach((name) => figures.queues.delete(name));
  figures.subscribers = line.subscribers ?? [];
  figures.at = line.at;
  heard = performance.now();
  trouble = "";
  page?.update?.(figures);
  showState();
}

function showState() {
  const silent = (performance.now() - heard) / 1000;
  const stale = trouble !== "" || silent > 8;
  state.classList.toggle("stale", stale);
  document.body.classList.toggle("stale", stale);
  const asOf = figures.at === null ? "" : "as of " + format.clock(figures.at);
  setText(state, stale ? "Stale" + (asOf ? ", " + asOf : "") + (trouble ? ": " + trouble : ": the server is silent") : asOf, figures.at ?? "");
  if (trouble === "" && silent > 10) {
    connect(); // a connection that was lost without an end
  }
}

async function connect() {
  const mine = ++generation;
  controller?.abort();
  while (mine === generation) {
    controller = new AbortController();
    heard = performance.now();
    try {
      const now = JSON.stringify(await api.readAccess());
      if (mine !== generation) {
        return;
      }
      if (now !== rights) {
        rights = now;
        render();
      }
      const only = route.queue === undefined ? "" : "?queue=" + encodeURIComponent(route.queue);
      await api.stream("v1/figures/stream" + only, controller.signal, (line) => mine === generation && accept(line));
      trouble = "the stream ended";
    } catch (failure) {
      trouble = failure instanceof api.Problem ? failure.message : "the server cannot be reached";
      if (failure.status === 401) {
        rights = "";
        render();
        main.append(make("h1", { text: "A key is needed" }), make("p", { class: "empty", text: "This server has keys. Type one in above; it stays in the memory of this page." }));
      }
    }
    if (mine !== generation) {
      return;
    }
    showState();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
  }
}

document.getElementById("access").addEventListener("submit", (event) => {
  event.preventDefault();
  api.useKey(document.getElementById("key").value.trim());
  connect();
});
setText(document.getElementById("zone"), "Times are in " + format.timeZone + ".");
addEventListener("hashchange", open);
setInterval(showState, 1000);
open();
