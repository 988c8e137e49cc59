// All queues: search, sort, a hundred a page.
import * as api from "./api.js";
import { button, dialog, field, input, make, note, replace, setText, tiles } from "./dom.js";
import * as format from "./format.js";

const PAGE = 100;

/** A column: its name, what is sorted by, what is shown, the exact value, and its class. */
const COLUMNS = [
  { name: "queue", by: (q) => q.name, class: "left" },
  { name: "state", by: (q) => stateOf(q), show: stateOf, class: "left", bad: (q) => stateOf(q) !== "up" },
  { name: "messages", by: (q) => q.messages, show: (q) => format.count(q.messages), title: (q) => format.exact(q.messages) },
  { name: "published", by: (q) => q.published, show: (q) => format.rate(q.published), title: (q) => format.exactRate(q.published) },
  { name: "acked", by: (q) => q.acked, show: (q) => format.rate(q.acked), title: (q) => format.exactRate(q.acked) },
  { name: "lag", by: (q) => q.lag, show: (q) => format.count(q.lag), title: (q) => format.exact(q.lag) },
  { name: "oldest", by: (q) => q.oldestAgeMillis, show: (q) => format.age(q.oldestAgeMillis), title: (q) => format.exact(q.oldestAgeMillis) + " ms" },
  { name: "in flight", by: (q) => q.inFlight, show: (q) => format.count(q.inFlight), title: (q) => format.exact(q.inFlight), class: "narrow" },
  { name: "subscribers", by: (q) => q.subscribers, show: (q) => q.subscribers + (q.paused ? " (" + q.paused + " paused)" : ""), class: "narrow", bad: (q) => q.paused > 0 },
  { name: "consumers", by: (q) => q.consumers, show: (q) => String(q.consumers), class: "narrow" },
  { name: "dead", by: (q) => q.dead, show: (q) => format.count(q.dead), title: (q) => format.exact(q.dead) + " waiting now", bad: (q) => q.dead > 0 },
  { name: "disk", by: (q) => q.bytes, show: (q) => format.bytes(q.bytes), title: (q) => format.exactBytes(q.bytes) },
  { name: "damage", by: (q) => q.lost + q.backupFailures, show: (q) => damage(q, format.count), title: (q) => damage(q, format.exact), bad: (q) => q.lost + q.backupFailures > 0, class: "narrow" },
];

function stateOf(q) {
  return q.status === undefined ? q.state.toLowerCase() : q.status.toLowerCase().replace("_", "-");
}

function damage(q, count) {
  const parts = [];
  if (q.lost > 0) {
    parts.push(count(q.lost) + " lost");
  }
  if (q.backupFailures > 0) {
    parts.push(q.backupFailures + " backups failed");
  }
  return parts.join(", ") || "none";
}

export async function createQueue() {
  const name = input("", { required: true, pattern: "[A-Za-z0-9_][A-Za-z0-9._\\-]{0,63}" });
  const settings = make("textarea", { rows: "5", spellcheck: "false" });
  settings.value = "{}";
  const made = await dialog({
    title: "Create a queue",
    label: "Create",
    body: make("div", {}, field("Name", name), field("Settings as JSON", settings, "As of PUT /v1/queues/{queue}; what is left out has its default.")),
    action: () => api.call("PUT", api.of(name.value), json(settings.value)),
  });
  if (made) {
    note("Queue " + name.value + " is there.");
    location.hash = "#/queues/" + name.value;
  }
}

export function json(text) {
  try {
    return JSON.parse(text);
  } catch (failure) {
    throw new Error("This is not JSON: " + failure.message);
  }
}

export function open(main, route) {
  let figures = null;
  let sort = COLUMNS.findIndex((column) => column.name === route.query.get("sort"));
  sort = sort < 0 ? 0 : sort;
  let down = route.query.get("down") === "1";
  let first = 0;
  const rows = new Map();
  const search = input(route.query.get("search") ?? "", { type: "search", "aria-label": "Search queues", placeholder: "Search queues" });
  const found = make("span", { class: "soft", role: "status" });
  const previous = button("Previous", () => turn(-PAGE));
  const next = button("Next", () => turn(PAGE));
  const body = make("tbody");
  const heads = COLUMNS.map((column, i) =>
    make("th", { scope: "col", class: column.class }, make("button", { type: "button", click: () => sortBy(i), text: column.name })),
  );
  const sums = tiles([["queues", "Queues"], ["messages", "Messages"], ["published", "Published"], ["acked", "Acknowledged"], ["bytes", "On disk"], ["free", "Least disk free"]]);
  search.addEventListener("input", () => {
    first = 0;
    remember();
    show();
  });
  main.append(
    make("h1", { text: "Queues" }),
    sums.list,
    make("div", { class: "bar" }, search, found, previous, next, api.mayAnything("admin") ? make("span", { class: "end" }, button("Create queue…", createQueue, "main")) : null),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Queues" }, make("table", {}, make("caption", { class: "soft", text: "A second's rates; lag and oldest are the largest of a queue's subscribers" }), make("thead", {}, make("tr", {}, heads)), body)),
  );

  function remember() {
    const query = new URLSearchParams();
    if (search.value) {
      query.set("search", search.value);
    }
    if (sort !== 0 || down) {
      query.set("sort", COLUMNS[sort].name);
      query.set("down", down ? "1" : "0");
    }
    const text = query.toString();
    history.replaceState(null, "", "#/" + (text ? "?" + text : ""));
  }

  function sortBy(column) {
    down = column === sort ? !down : column > 1;
    sort = column;
    first = 0;
    remember();
    show();
  }

  function turn(by) {
    first += by;
    show();
  }

  function row(q) {
    let known = rows.get(q.name);
    if (known === undefined) {
      const cells = COLUMNS.map((column) => make("td", { class: column.class }));
      cells[0] = make("th", { scope: "row", class: "left" }, make("a", { href: "#/queues/" + encodeURIComponent(q.name), text: q.name }));
      known = { element: make("tr", {}, cells), cells, shown: null };
      rows.set(q.name, known);
    }
    if (known.shown !== q) {
      known.shown = q;
      for (let i = 1; i < COLUMNS.length; i++) {
        const column = COLUMNS[i];
        setText(known.cells[i], column.show(q), column.title?.(q));
        known.cells[i].classList.toggle("bad", column.bad?.(q) === true);
      }
    }
    return known.element;
  }

  function show() {
    if (figures === null) {
      return;
    }
    const wanted = search.value.toLowerCase();
    const all = [...figures.queues.values()].filter((q) => q.name.toLowerCase().includes(wanted));
    const by = COLUMNS[sort].by;
    all.sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : a.name < b.name ? -1 : 1) * (down ? -1 : 1));
    first = Math.max(0, Math.min(first, Math.floor(Math.max(0, all.length - 1) / PAGE) * PAGE));
    const elements = all.slice(first, first + PAGE).map(row);
    if (elements.length !== body.children.length || elements.some((element, i) => body.children[i] !== element)) {
      replace(body, ...elements);
    }
    heads.forEach((head, i) => (i === sort ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
    previous.disabled = first === 0;
    next.disabled = first + PAGE >= all.length;
    const range = all.length > PAGE ? first + 1 + "–" + Math.min(all.length, first + PAGE) + " of " : "";
    setText(found, range + all.length + (all.length === 1 ? " queue" : " queues"));
  }

  function total(name) {
    return [...figures.queues.values()].reduce((sum, q) => sum + q[name], 0);
  }

  return {
    update(now) {
      figures = now;
      show();
      const { values } = sums;
      setText(values.queues, format.exact(now.queues.size));
      setText(values.messages, format.count(total("messages")), format.exact(total("messages")));
      setText(values.published, format.rate(total("published")), format.exactRate(total("published")));
      setText(values.acked, format.rate(total("acked")), format.exactRate(total("acked")));
      setText(values.bytes, format.bytes(total("bytes")), format.exactBytes(total("bytes")));
      const free = Math.min(...[...now.queues.values()].filter((q) => q.status !== undefined).map((q) => q.diskFree));
      setText(values.free, ...(Number.isFinite(free) ? [format.bytes(free), format.exactBytes(free)] : ["–", ""]));
      for (const name of rows.keys()) {
        if (!now.queues.has(name)) {
          rows.delete(name);
        }
      }
    },
  };
}
