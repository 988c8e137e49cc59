// The settings of a queue or a subscriber: what each means, what it is, and what may change now.
import * as api from "./api.js";
import { button, dialog, field, input, make, note, replace, select, table } from "./dom.js";
import { tabs } from "./queue.js";

const SOURCES = {
  FILE: "This queue is configured in the server's file. Change its settings there; a reload takes up those that may change.",
  APPLICATION: "This queue is configured by the application that the server runs in, which alone changes its settings.",
};
const WORDS = { RUNNING: "now", OPENED: "when opened", NEVER: "never" };

function valueAt(settings, name) {
  return name.split(".").reduce((object, part) => object?.[part], settings ?? {});
}

function text(value) {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Reads what was typed, as JSON of the option's type. */
function read(option, typed) {
  switch (option.type) {
    case "BOOLEAN":
      return typed === "true";
    case "INTEGER":
      if (!/^-?\d+$/.test(typed)) {
        throw new Error("This is not a whole number.");
      }
      if (!Number.isSafeInteger(Number(typed))) {
        throw new Error("This number is too large for a browser, which would round it.");
      }
      return Number(typed);
    case "OBJECT":
      return JSON.parse(typed);
    default:
      return typed;
  }
}

async function change(path, option, now, { settings, tag }, done) {
  const typed = option.type === "BOOLEAN" ? select([["true", "true"], ["false", "false"]], text(now ?? "false")) : input(now === undefined ? "" : text(now), { spellcheck: "false" });
  const made = await dialog({
    title: "Change " + option.name,
    label: "Change",
    body: make("div", {}, make("p", { text: option.meaning + "." }), field(option.name, typed)),
    action: () => {
      const value = read(option, typed.value);
      const [parent, child] = option.name.split(".");
      const asked = child === undefined ? { [parent]: value } : { [parent]: { ...settings?.[parent], [child]: value } };
      return api.call("PATCH", path, asked, tag === null ? {} : { "If-Match": tag });
    },
  });
  if (made) {
    note(option.name + " is changed.");
    done();
  }
}

export function open(main, route) {
  const path = api.of(route.queue, route.subscriber);
  const admin = api.may("admin", route.queue);
  const body = make("div");
  const base = "#/queues/" + route.queue + (route.subscriber === undefined ? "" : "/subscribers/" + route.subscriber);
  main.append(
    make("h1", { text: route.subscriber ?? route.queue }),
    route.subscriber === undefined
      ? tabs(route, "/settings")
      : make("nav", { class: "bar", "aria-label": "Of this subscriber" }, make("a", { href: base, text: "Figures" }), make("a", { href: base + "/settings", "aria-current": "page", text: "Settings" })),
    body,
  );

  async function load() {
    try {
      const [options, { found, tag }] = await Promise.all([api.get("v1/options"), api.tagged(path)]);
      show(route.subscriber === undefined ? options.queue : options.subscriber, found, tag);
    } catch (failure) {
      replace(body, make("p", { class: "bad", role: "alert", text: failure.message }));
    }
  }

  function show(options, { settings, settingsFrom }, tag) {
    const changes = admin && SOURCES[settingsFrom] === undefined;
    const columns = [{ name: "setting", class: "left" }, { name: "value", class: "left" }, { name: "may change", class: "left" }, { name: "what", class: "left" }, { name: "" }];
    const rows = options.map((option) => {
      const value = valueAt(settings, option.name);
      return make("tr", {},
        make("th", { scope: "row", class: "left", text: option.name }),
        make("td", { class: value === undefined ? "left soft" : "left", text: value === undefined ? (option.defaultValue === undefined ? "not set" : option.defaultValue + " (default)") : text(value) }),
        make("td", { class: "left", text: WORDS[option.change] }),
        make("td", { class: "wrap", text: option.meaning }),
        make("td", {}, changes && option.change === "RUNNING" ? button("Change…", () => change(path, option, value, { settings, tag }, load)) : null));
    });
    replace(
      body,
      ...(SOURCES[settingsFrom] === undefined ? [] : [make("p", { class: "soft", text: SOURCES[settingsFrom] })]),
      table("Settings", columns, rows),
    );
  }

  load();
  return {};
}
