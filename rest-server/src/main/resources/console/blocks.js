// The blocks of a queue in log and backup, the newest first.
import * as api from "./api.js";
import { button, make, replace, setText, table } from "./dom.js";
import * as format from "./format.js";
import { tabs } from "./queue.js";

const PAGE = 100;
const STATES = { ACTIVE: "in the log, appended to", CLOSED: "in the log", ARCHIVED: "in the backup alone" };
const COLUMNS = [
  { name: "block" }, { name: "state", class: "left" }, { name: "first sequence" }, { name: "last sequence" }, { name: "messages" },
  { name: "lost" }, { name: "size" }, { name: "in the backup" }, { name: "first published", class: "left" }, { name: "last published", class: "left" },
];

function row(block) {
  const messages = BigInt(block.endSequence) - BigInt(block.firstSequence);
  const last = messages === 0n ? "–" : format.exact(String(BigInt(block.endSequence) - 1n));
  const size = (value) => make("td", { text: value === undefined ? "no" : format.bytes(value), title: value === undefined ? undefined : format.exactBytes(value) });
  const time = (text) => make("td", { class: "left", title: text, text: text === undefined ? "–" : format.time(text) });
  return make("tr", {},
    make("th", { scope: "row", text: format.exact(block.number) }),
    make("td", { class: "left", text: STATES[block.state] }),
    make("td", { text: format.exact(block.firstSequence) }),
    make("td", { text: last }),
    make("td", { text: format.exact(String(messages)) }),
    make("td", { class: block.lost > 0 ? "bad" : undefined, text: format.exact(block.lost) }),
    size(block.bytes),
    size(block.backupBytes),
    time(block.firstPublished),
    time(block.lastPublished));
}

export function open(main, route) {
  const shown = make("div");
  const head = make("span", { class: "soft", role: "status" });
  const older = button("Show older", () => load(true));
  let all = [];
  let next;
  main.append(
    make("h1", { text: route.queue }),
    tabs(route, "/blocks"),
    make("div", { class: "bar" }, make("h2", { text: "Blocks" }), head, button("Refresh", () => load(false))),
    shown,
    older,
  );

  async function load(more) {
    try {
      const found = await api.get(api.of(route.queue) + "/blocks?max=" + PAGE + (more ? "&below=" + next : ""));
      all = more ? [...all, ...found.blocks] : found.blocks;
      next = found.next;
      older.hidden = next === undefined;
      setText(head, "the newest " + format.exact(all.length) + (next === undefined ? ", which are all" : ""));
      replace(shown, table("Blocks", COLUMNS, all.map(row)));
    } catch (failure) {
      setText(head, failure.message);
    }
  }

  load(false);
  return {};
}
