// A queue: its figures and subscribers, its past, and what can be done with it.
import * as api from "./api.js";
import { button, confirm, dialog, field, input, make, note, replace, select, setText, table, tiles } from "./dom.js";
import * as format from "./format.js";
import { json } from "./overview.js";
import { plots } from "./plot.js";

const TILES = [
  ["state", "State"], ["published", "Published"], ["acked", "Acknowledged"], ["messages", "Messages in the log"],
  ["firstSequence", "First sequence"], ["nextSequence", "Next sequence"], ["delayed", "Delayed"], ["bytes", "Log on disk"],
  ["blocks", "Blocks"], ["backups", "Blocks in the backup"], ["archived", "Archived since opened"], ["backupFailures", "Failed backups"],
  ["diskFree", "Disk free"], ["lost", "Lost messages"], ["discarded", "Discarded"], ["removed", "Removed"],
];
const STATUSES = [["UP", "up"], ["READ_ONLY", "read-only"], ["QUIESCENT", "quiescent"], ["DOWN", "down"]];
const DETAIL_TICKS = 5;

export function tabs(route, current) {
  const base = "#/queues/" + encodeURIComponent(route.queue);
  const link = (path, text) => make("a", { href: base + path, text, "aria-current": path === current ? "page" : undefined });
  return make("nav", { class: "bar", "aria-label": "Of this queue" }, link("", "Figures"), link("/messages", "Messages"), link("/blocks", "Blocks"), link("/settings", "Settings"));
}

async function createSubscriber(queue) {
  const name = input("", { required: true, pattern: "[A-Za-z0-9_][A-Za-z0-9._\\-]{0,63}" });
  const settings = make("textarea", { rows: "5", spellcheck: "false" });
  settings.value = "{}";
  const made = await dialog({
    title: "Create a subscriber of " + queue,
    label: "Create",
    body: make("div", {}, field("Name", name), field("Settings as JSON", settings, 'Such as {"start": {"to": "LATEST"}, "maxDeliveries": 5}; what is left out has its default.')),
    action: () => api.call("PUT", api.of(queue, name.value), json(settings.value)),
  });
  if (made) {
    note("Subscriber " + name.value + " is there.");
    location.hash = "#/queues/" + queue + "/subscribers/" + name.value;
  }
}

const KINDS = { KAFKA: "to topic", KAFKA_SOURCE: "from topic" };

function forwardState({ waiting, awaySince, ended }) {
  const since = awaySince ? " since " + format.time(awaySince) : "";
  return (ended ? "ended" : awaySince ? "away" : waiting ? "waits" : "passes messages") + since + (waiting ? ": " + waiting : "");
}

async function createForward(queue, done) {
  const target = input("", { required: true });
  const filter = input("");
  const start = select([["EARLIEST", "with the earliest message"], ["LATEST", "with the next message"]]);
  const made = await dialog({
    title: "Forward from " + queue,
    label: "Forward",
    body: make("div", {}, field("To the queue", target), field("Only messages that match", filter, "An expression, such as headers.type == 'order'; empty for all."), field("Begin", start)),
    action: () => api.call("PUT", api.of(queue) + "/forwards/" + encodeURIComponent(target.value), { start: { to: start.value }, ...(filter.value ? { filter: filter.value } : {}) }),
  });
  if (made) {
    done();
  }
}

async function setStatus(queue, now, done) {
  const status = select(STATUSES, now);
  const made = await dialog({
    title: "Status of " + queue,
    label: "Set",
    body: field("Status", status, "Up takes messages and delivers; read-only refuses publishes; quiescent delivers nothing either; down refuses acknowledgements too. It stays after a restart."),
    action: () => api.call("PUT", api.of(queue) + "/status", { status: status.value }),
  });
  if (made) {
    note("The status of " + queue + " is set.");
    done();
  }
}

async function remove(queue) {
  const done = await confirm({
    title: "Delete queue " + queue,
    text: ["The queue, its messages, its subscribers and their dead letters are deleted, also what is not completed. Backups stay."],
    label: "Delete the queue",
    name: queue,
    action: () => api.call("DELETE", api.of(queue) + "?force=true"),
  });
  if (done) {
    note("Queue " + queue + " is deleted.");
    location.hash = "#/";
  }
}

async function trim(queue, done) {
  const keep = input("", { inputmode: "numeric", pattern: "[0-9]+", required: true });
  const made = await dialog({
    title: "Trim " + queue,
    label: "Remove the oldest",
    danger: true,
    body: field("Keep only the last messages", keep, "All older messages are removed, and every subscriber moves past them."),
    action: async () => note("Removed " + format.exact((await api.call("POST", api.of(queue) + "/trim?messages=" + keep.value)).removed) + " messages."),
  });
  if (made) {
    done();
  }
}

export function open(main, route) {
  const queue = route.queue;
  const admin = api.may("admin", queue);
  const figures = tiles(TILES);
  const rows = new Map();
  const body = make("tbody");
  const forwards = make("div");
  const forbidden = make("p", { class: "bad", role: "alert" });
  let ticks = 0;
  let status = "UP";
  let closed = false;
  const plot = plots(api.of(queue), [
    { title: "Published and acknowledged a second", lines: [["published", "published"], ["acked", "acknowledged"]], show: format.rate },
    { title: "Messages in the log, and the largest lag", lines: [["messages", "messages"], ["lag", "lag"]], show: format.count },
  ]);
  main.append(
    make("h1", { text: queue }),
    tabs(route, ""),
    forbidden,
    admin
      ? make("div", { class: "bar", role: "group", "aria-label": "Actions" },
          button("Create subscriber…", () => createSubscriber(queue), "main"), button("Status…", () => setStatus(queue, status, detail)),
          button("Forward…", () => createForward(queue, detail)), button("Trim…", () => trim(queue, detail)), button("Delete queue…", () => remove(queue), "danger"))
      : null,
    figures.list,
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Subscribers" },
      make("table", {}, make("caption", { text: "Subscribers" }),
        make("thead", {}, make("tr", {}, ["name", "lag", "oldest", "in flight", "delivered", "acked", "redelivered", "dead", "consumers", "state"].map((name, i) => make("th", { scope: "col", class: i === 0 || i === 9 ? "left" : "", text: name })))),
        body)),
    plot.element,
    forwards,
  );

  async function detail() {
    if (!api.may("consume", queue)) {
      setText(forbidden, "This key may read figures of the queue only.");
      return;
    }
    try {
      const found = await api.get(api.of(queue));
      const { stats } = found;
      status = stats.status;
      const { values } = figures;
      for (const name of ["firstSequence", "nextSequence", "blocks", "backups", "archived", "backupFailures", "discarded", "removed", "lost", "delayed"]) {
        setText(values[name], format.exact(stats[name] ?? 0));
      }
      setText(values.diskFree, format.bytes(stats.diskFree), format.exactBytes(stats.diskFree));
      values.lost.classList.toggle("bad", Number(stats.lost) > 0);
      values.backupFailures.classList.toggle("bad", Number(stats.backupFailures) > 0);
      showForwards((await api.get(api.of(queue) + "/forwards")).forwards);
      forbidden.textContent = "";
    } catch (failure) {
      if (failure.status === 404 && !closed) {
        close();
        main.replaceChildren(make("h1", { text: queue }), make("p", { role: "alert", text: "There is no such queue." }));
        return;
      }
      setText(forbidden, failure.message);
    }
  }

  function close() {
    closed = true;
    plot.close();
  }

  function showForwards(all) {
    if (all.length === 0) {
      replace(forwards);
      return;
    }
    const columns = [{ name: "target", class: "left" }, { name: "filter", class: "left" }, { name: "left" }, { name: "state", class: "left" }, { name: "" }];
    replace(
      forwards,
      make("h2", { text: "Forwards" }),
      table("Forwards", columns, all.map((each) =>
        make("tr", {},
          make("th", { scope: "row", class: "left" }, each.kind === "QUEUE"
            ? make("a", { href: "#/queues/" + each.target, text: each.target })
            : make("span", { text: (KINDS[each.kind] ?? each.kind) + " " + each.target + (each.subscriber ? " (" + each.subscriber + ")" : "") })),
          make("td", { class: "wrap", text: each.settings?.filter ?? "all" }),
          make("td", { text: format.exact(each.stats.lag) }),
          make("td", { class: each.stats.awaySince || each.stats.ended ? "wrap bad" : "wrap", text: forwardState(each.stats) }),
          make("td", {}, admin && each.kind === "QUEUE" ? button("End…", async () => {
            const done = await confirm({ title: "End the forward to " + each.target, text: "What the target has not got it does not get.", label: "End it", action: () => api.call("DELETE", api.of(queue) + "/forwards/" + each.target) });
            if (done) {
              detail();
            }
          }) : null)))),
    );
  }

  function row(s) {
    let known = rows.get(s.name);
    if (known === undefined) {
      const cells = Array.from({ length: 9 }, () => make("td"));
      cells[8].className = "left";
      const name = make("th", { scope: "row", class: "left" }, make("a", { href: "#/queues/" + queue + "/subscribers/" + s.name, text: s.name }));
      known = { element: make("tr", {}, name, cells), cells };
      rows.set(s.name, known);
    }
    const { cells } = known;
    setText(cells[0], format.count(s.lag), format.exact(s.lag));
    setText(cells[1], format.age(s.oldestAgeMillis), format.exact(s.oldestAgeMillis) + " ms");
    setText(cells[2], format.count(s.inFlight), format.exact(s.inFlight));
    ["delivered", "acked", "redelivered"].forEach((name, i) => setText(cells[3 + i], format.rate(s[name]), format.exactRate(s[name])));
    setText(cells[6], format.count(s.dead), format.exact(s.dead) + " waiting now");
    cells[6].classList.toggle("bad", s.dead > 0);
    setText(cells[7], String(s.consumers));
    setText(cells[8], s.paused ? "paused" : "running");
    cells[8].classList.toggle("warn", s.paused);
    return known.element;
  }

  detail();
  return {
    update(now) {
      const q = now.queues.get(queue);
      if (q === undefined || closed) {
        return;
      }
      const { values } = figures;
      setText(values.state, q.status === undefined ? q.state : q.status.toLowerCase().replace("_", "-"));
      setText(values.published, format.rate(q.published), format.exactRate(q.published));
      setText(values.acked, format.rate(q.acked), format.exactRate(q.acked));
      setText(values.messages, format.count(q.messages), format.exact(q.messages));
      setText(values.bytes, format.bytes(q.bytes), format.exactBytes(q.bytes));
      const elements = now.subscribers.map(row);
      if (elements.length !== body.children.length || elements.some((element, i) => body.children[i] !== element)) {
        replace(body, ...(elements.length === 0 ? [make("tr", {}, make("td", { class: "left empty", colspan: "10", text: "No subscriber yet." }))] : elements));
      }
      plot.update(q, now.at);
      if (++ticks % DETAIL_TICKS === 0) {
        detail();
      }
    },
    close,
  };
}
