// A subscriber: figures, past, dead letters, and what can be done with it.
import * as api from "./api.js";
import { button, confirm, dialog, field, input, make, note, replace, select, setText, table, tiles } from "./dom.js";
import * as format from "./format.js";
import { plots } from "./plot.js";
import { PREVIEW, shownMessage } from "./messages.js";

const TILES = [
  ["state", "State"], ["lag", "Lag"], ["oldest", "Oldest not completed"], ["inFlight", "In flight"], ["delivered", "Delivered"],
  ["acked", "Acknowledged"], ["redelivered", "Redelivered"], ["ackFloor", "Completed below"], ["deadNow", "Dead letters"], ["consumers", "Consumers connected"],
];
const LETTERS = 50;

function again(completed) {
  return format.messages(String(completed)) + (completed === 1n ? " that is" : " that are") + " completed will be delivered again.";
}

/** Returns what a seek means, from the figures of queue and subscriber, as a sentence. */
export function effect(queue, subscriber, target) {
  const first = BigInt(queue.firstSequence);
  const next = BigInt(queue.nextSequence);
  const floor = BigInt(subscriber.ackFloor);
  const lag = BigInt(subscriber.lag);
  const to = target < first ? first : target > next ? next : target;
  if (to === next) {
    return format.messages(String(lag)) + " will be skipped.";
  }
  if (to === first) {
    const repeated = next - first - lag;
    return again(repeated > 0n ? repeated : 0n);
  }
  if (to < floor) {
    return "Up to " + again(floor - to);
  }
  return "Up to " + format.messages(String(to - floor)) + " will be skipped.";
}

async function seek(queue, subscriber) {
  const to = select([["EARLIEST", "Earliest message"], ["LATEST", "After the latest message"], ["sequence", "A sequence"], ["time", "A time"]]);
  const value = input("", { disabled: true });
  const result = make("p", { role: "status" });
  const check = button("Show what it means", preview);
  let known = "";
  const wanted = () => to.value + " " + value.value;

  async function preview() {
    const asked = wanted(); // which may change while the server answers
    const kind = to.value;
    const typed = value.value;
    try {
      const [q, s] = await Promise.all([api.get(api.of(queue)), api.get(api.of(queue, subscriber))]);
      let target = BigInt(q.stats.nextSequence);
      if (kind === "EARLIEST") {
        target = BigInt(q.stats.firstSequence);
      } else if (kind === "sequence") {
        target = BigInt(typed);
      } else if (kind === "time") {
        const { messages } = await api.get(api.of(queue) + "/messages?preview=1&at=" + encodeURIComponent(new Date(typed).toISOString()));
        target = messages.length === 0 ? target : BigInt(messages[0].sequence);
      }
      if (asked !== wanted()) {
        return;
      }
      known = asked;
      result.textContent = effect(q.stats, s.stats, target) + " " + format.exact(s.stats.inFlight) + " deliveries that are in flight become void.";
    } catch (failure) {
      if (asked !== wanted()) {
        return;
      }
      result.textContent = failure.message;
    }
    result.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function position() {
    if (to.value === "time") {
      return { time: new Date(value.value).toISOString() };
    }
    return to.value === "sequence" ? null : { to: to.value };
  }

  to.addEventListener("change", () => {
    value.disabled = to.value === "EARLIEST" || to.value === "LATEST";
    value.type = to.value === "time" ? "datetime-local" : "text";
    value.value = "";
  });
  const done = await dialog({
    title: "Seek " + subscriber,
    label: "Move the subscriber",
    danger: true,
    body: make("div", {}, field("Where to", to), field("Sequence or time", value, "Times are in " + format.timeZone + "."), check, result),
    ready: () => known === wanted(),
    action: () => (to.value === "sequence" ? api.raw("POST", api.of(queue, subscriber) + "/seek", '{"sequence":' + BigInt(value.value) + "}") : api.call("POST", api.of(queue, subscriber) + "/seek", position())),
  });
  if (done) {
    note(subscriber + " was moved.");
  }
}

async function purge(queue, subscriber) {
  const { stats } = await api.get(api.of(queue, subscriber));
  await confirm({
    title: "Purge " + subscriber,
    text: [format.messages(stats.lag) + " will be skipped, as if completed."],
    label: "Skip all",
    name: subscriber,
    action: async () => note("Skipped " + format.messages((await api.call("POST", api.of(queue, subscriber) + "/purge")).purged) + "."),
  });
}

async function remove(queue, subscriber) {
  const done = await confirm({
    title: "Delete subscriber " + subscriber,
    text: ["Its position and its dead letters are deleted. Messages stay for the other subscribers."],
    label: "Delete the subscriber",
    name: subscriber,
    action: () => api.call("DELETE", api.of(queue, subscriber)),
  });
  if (done) {
    note("Subscriber " + subscriber + " is deleted.");
    location.hash = "#/queues/" + queue;
  }
}

/** The dead letters, their redrives and the progress of these. */
function deadLetters(queue, subscriber, admin) {
  const list = make("div");
  const progress = make("div", { role: "status" });
  const head = make("span", { class: "soft" });
  let shown = LETTERS;
  const base = api.of(queue, subscriber);
  const more = button("Show more", () => {
    shown = Math.min(1000, 4 * shown);
    load();
  });

  async function redrive(filter, target) {
    await api.call("POST", base + "/redrives", { ...(filter ? { filter } : {}), ...(target ? { target } : {}) });
    note("The redrive has started.");
    follow();
  }

  async function some() {
    const filter = input("", { spellcheck: "false" });
    const target = input("");
    await dialog({
      title: "Redrive dead letters of " + subscriber,
      label: "Redrive",
      body: make("div", {}, field("Those that match", filter, "An expression, such as headers['river.dead.reason'] == 'timeout'; empty for all."), field("To the queue", target, "Empty: where they came from, for this subscriber only.")),
      action: () => redrive(filter.value, target.value),
    });
  }

  function letter(message) {
    const headers = message.headers;
    const one = admin && headers["river.dead.sequence"] !== undefined
      ? button("Redrive this one", async () => {
          try {
            await redrive("headers['river.dead.sequence'] == '" + headers["river.dead.sequence"] + "'");
          } catch (failure) {
            note(failure.message, true);
          }
        })
      : null;
    const drop = admin
      ? button("Delete this one…", async () => {
          const done = await confirm({ title: "Delete dead letter " + message.sequence + " of " + subscriber, text: "It cannot be brought back.", label: "Delete it", action: () => api.call("DELETE", base + "/dead/" + message.sequence) });
          if (done) {
            note("The dead letter is deleted.");
            load();
          }
        }, "danger")
      : null;
    return shownMessage(queue, message, {
      title: "Sequence " + (headers["river.dead.sequence"] ?? message.sequence) + ": " + (headers["river.dead.reason"] ?? "no reason") + ", attempts: " + (headers["river.dead.attempts"] ?? "?"),
      actions: [one, drop],
      download: null,
    });
  }

  async function load() {
    try {
      const { size, messages } = await api.get(base + "/dead?preview=" + PREVIEW + "&max=" + shown);
      setText(head, size === 0 ? "none" : "the oldest " + format.exact(messages.length) + " of " + format.exact(size));
      more.hidden = messages.length >= Number(size) || shown === 1000;
      replace(list, ...messages.map(letter));
    } catch (failure) {
      setText(head, failure.message);
    }
  }

  async function follow() {
    const { redrives } = await api.get(api.of(queue) + "/redrives");
    const mine = redrives.filter((each) => each.subscriber === subscriber);
    replace(progress, ...mine.slice(-3).map((each) => {
      const all = Number(each.moved) + Number(each.skipped) + Number(each.left);
      return make("p", {},
        each.state + ": " + format.exact(each.moved) + " redriven, " + format.exact(each.skipped) + " left alone, " + format.exact(each.left) + " to go" + (each.waiting ? "; waits: " + each.waiting : "") + " ",
        make("progress", { max: String(Math.max(1, all)), value: String(all - Number(each.left)), "aria-label": "Progress of redrive " + each.id }),
        admin && each.state === "RUNNING" ? button("Cancel", () => api.call("DELETE", api.of(queue) + "/redrives/" + each.id).then(follow)) : null);
    }));
    if (mine.some((each) => each.state === "RUNNING") && progress.isConnected) {
      setTimeout(() => follow().catch(() => {}), 500);
    } else {
      load();
    }
  }

  const element = make("section", { "aria-label": "Dead letters" },
    make("div", { class: "bar" }, make("h2", { text: "Dead letters" }), head, button("Refresh", load),
      admin ? [button("Redrive…", some), button("Delete all…", async () => {
        const done = await confirm({ title: "Delete all dead letters of " + subscriber, text: "They cannot be brought back.", label: "Delete them", name: subscriber, action: () => api.call("DELETE", base + "/dead") });
        if (done) {
          load(); // else messages that are open would be closed
        }
      }, "danger")] : null),
    progress, list, more);
  return { element, load, follow };
}

/** The streams and long polls that are open. */
function consumers(queue, subscriber) {
  const shown = make("div");
  const head = make("span", { class: "soft" });
  const base = api.of(queue, subscriber) + "/consumers";
  const columns = [{ name: "kind", class: "left" }, { name: "address", class: "left" }, { name: "key", class: "left" }, { name: "owner", class: "left" }, { name: "since", class: "left" }, { name: "" }];

  async function end(each) {
    const done = await confirm({ title: "End the " + each.kind.toLowerCase() + " of " + each.address, text: "What it has not completed is delivered to others. The client may come back, unless its key is changed.", label: "End it", action: () => api.call("DELETE", base + "/" + each.id) });
    if (done) {
      load();
    }
  }

  async function load() {
    try {
      const { size, consumers: all } = await api.get(base);
      setText(head, size === 0 ? "none" : size > all.length ? "the oldest " + format.exact(all.length) + " of " + format.exact(size) : format.exact(size));
      replace(shown, ...(size === 0 ? [] : [table("Consumers", columns, all.map((each) =>
        make("tr", {},
          make("td", { class: "left", text: each.kind.toLowerCase() }),
          make("th", { scope: "row", class: "left", text: each.address }),
          make("td", { class: "left", text: each.key || "–" }),
          make("td", { class: "left", text: each.owner ?? "–" }),
          make("td", { class: "left", title: each.since, text: format.time(each.since) }),
          make("td", {}, button("End…", () => end(each))))))]));
    } catch (failure) {
      setText(head, failure.message);
    }
  }

  const element = make("section", { "aria-label": "Connected consumers" }, make("div", { class: "bar" }, make("h2", { text: "Consumers" }), head, button("Refresh consumers", load)), shown);
  return { element, load };
}

export function open(main, route) {
  const { queue, subscriber } = route;
  const base = api.of(queue, subscriber);
  const admin = api.may("admin", queue);
  const reads = api.may("consume", queue);
  const figures = tiles(TILES);
  let paused = false;
  let ticks = 0;
  const pause = button("Pause", async () => {
    try {
      await api.call("POST", base + (paused ? "/resume" : "/pause"));
      note(subscriber + (paused ? " is resumed." : " is paused."));
    } catch (failure) {
      note(failure.message, true);
    }
  });
  const plot = plots(base, [
    { title: "Delivered, acknowledged and redelivered a second", lines: [["delivered", "delivered"], ["acked", "acknowledged"], ["redelivered", "redelivered"]], show: format.rate },
    { title: "Lag", lines: [["lag", "lag"]], show: format.count },
    { title: "In flight", lines: [["inFlight", "in flight"]], show: format.count },
  ]);
  const dead = deadLetters(queue, subscriber, admin);
  const waiting = admin ? consumers(queue, subscriber) : null;
  main.append(
    make("h1", { text: subscriber }),
    make("nav", { class: "bar", "aria-label": "Of this subscriber" },
      make("a", { href: "#/queues/" + queue + "/subscribers/" + subscriber, "aria-current": "page", text: "Figures" }),
      make("a", { href: "#/queues/" + queue + "/subscribers/" + subscriber + "/settings", text: "Settings" })),
    ...(admin
      ? [make("div", { class: "bar", role: "group", "aria-label": "Actions" }, pause, button("Seek…", () => seek(queue, subscriber)), button("Purge…", () => purge(queue, subscriber).catch((failure) => note(failure.message, true)), "danger"), button("Delete subscriber…", () => remove(queue, subscriber), "danger"))]
      : []),
    figures.list,
    plot.element,
    ...(waiting === null ? [] : [waiting.element]),
    ...(reads ? [dead.element] : []),
  );

  async function detail() {
    if (!reads) {
      return;
    }
    try {
      const { stats } = await api.get(base);
      setText(figures.values.ackFloor, format.exact(stats.ackFloor));
      setText(figures.values.deadNow, format.exact((await api.get(base + "/dead?max=1&preview=1")).size));
    } catch (failure) {
      setText(figures.values.state, failure.message);
    }
  }

  detail();
  waiting?.load();
  if (reads) {
    dead.follow().catch((failure) => note(failure.message, true));
  }
  return {
    update(now) {
      const s = now.subscribers.find((each) => each.name === subscriber);
      if (s === undefined) {
        return;
      }
      const { values } = figures;
      paused = s.paused;
      setText(pause, paused ? "Resume" : "Pause");
      setText(values.state, paused ? "paused" : "running");
      values.state.classList.toggle("warn", paused);
      setText(values.lag, format.count(s.lag), format.exact(s.lag));
      setText(values.oldest, format.age(s.oldestAgeMillis), format.exact(s.oldestAgeMillis) + " ms");
      setText(values.inFlight, format.count(s.inFlight), format.exact(s.inFlight));
      setText(values.delivered, format.rate(s.delivered), format.exactRate(s.delivered));
      setText(values.acked, format.rate(s.acked), format.exactRate(s.acked));
      setText(values.redelivered, format.rate(s.redelivered), format.exactRate(s.redelivered));
      setText(values.consumers, String(s.consumers));
      plot.update(s, now.at);
      if (++ticks % 5 === 0) {
        detail();
      }
    },
    close: plot.close,
  };
}
