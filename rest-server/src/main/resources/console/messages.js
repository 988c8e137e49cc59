// The messages of a queue: browse, search, publish, cancel.
import * as api from "./api.js";
import { button, confirm, dialog, field, input, make, note, replace, select, setText } from "./dom.js";
import * as format from "./format.js";
import { json } from "./overview.js";
import { tabs } from "./queue.js";

/** Bytes after which the server cuts what is shown. */
export const PREVIEW = 65536;
const COUNT = 25;

function pretty(text) {
  if (!/^\s*[[{]/.test(text)) {
    return text;
  }
  try {
    JSON.parse(text);
    return indent(text);
  } catch {
    return text;
  }
}

/** Indents JSON as it is, so that numbers keep their digits and fields their order. */
function indent(text) {
  let depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  return text.replace(/"(?:[^"\\]+|\\.)*"|[[{]\s*[\]}]|[[{\]},:]|\s+/g, (token) => {
    if (token[0] === '"') {
      return token;
    }
    if (/^[[{]\s*[\]}]$/.test(token)) {
      return token[0] + token.at(-1);
    }
    if (token === "{" || token === "[") {
      depth++;
      return token + line();
    }
    if (token === "}" || token === "]") {
      depth--;
      return line() + token;
    }
    return token === "," ? "," + line() : token === ":" ? ": " : "";
  });
}

function dataOf(message) {
  const binary = message.base64 !== undefined;
  const noText = message.text === undefined && message.bytes <= PREVIEW; // too much text in the answer
  const cut = message.bytes !== undefined && !noText;
  if (message.text !== undefined) {
    return { text: cut ? message.text : pretty(message.text), about: (binary ? "binary, " : "") + "as its converter or decoder shows it", cut };
  }
  const text = binary ? format.hex(format.fromBase64(message.base64)) : cut ? message.data : pretty(message.data);
  return { text, about: (binary ? "binary" : noText ? "as it is" : "") + (noText ? ", there was no space for its text" : ""), cut, failure: message.textError };
}

async function download(queue, sequence) {
  try {
    const link = make("a", { href: URL.createObjectURL(await api.blob(api.of(queue) + "/messages/" + sequence + "/data")), download: queue + "-" + sequence });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  } catch (failure) {
    note(failure.message, true);
  }
}

/** A message that opens; its data is made when it does. */
export function shownMessage(queue, message, { title, exact, actions = [], download: withDownload = true }) {
  const inner = make("div");
  const box = make("details", { class: "message" }, make("summary", { text: title, title: exact }), inner);
  box.addEventListener("toggle", () => {
    if (!box.open || inner.childElementCount > 0) {
      return;
    }
    const { text, about, cut, failure } = dataOf(message);
    const facts = ["sequence " + format.exact(message.sequence), { text: "published " + format.time(message.publishedAt), title: message.publishedAt }];
    if (message.key !== undefined) {
      facts.push("key " + message.key);
    }
    if (message.id !== undefined) {
      facts.push("id " + message.id);
    }
    for (const [name, value] of Object.entries(message.headers)) {
      facts.push(name + ": " + (typeof value === "string" ? value : "base64 " + value.base64));
    }
    inner.append(
      make("div", { class: "facts" }, facts.map((fact) => make("span", typeof fact === "string" ? { text: fact } : fact))),
      ...(failure === undefined ? [] : [make("p", { class: "bad", text: "Its decoder failed: " + failure })]),
      make("pre", { tabindex: "0", role: "group", "aria-label": "Data", text }),
      make("div", { class: "bar" },
        make("span", { class: "soft", title: cut && message.bytes > PREVIEW ? format.exactBytes(message.bytes) : undefined, text: [about, cut ? "cut after 64 KB" + (message.bytes > PREVIEW ? " of " + format.bytes(message.bytes) : "") : ""].filter((part) => part !== "").join(", ") }),
        withDownload ? button("Download", () => download(queue, message.sequence)) : null,
        actions),
    );
  });
  return box;
}

async function publish(queue, done) {
  const kind = select([["text", "Text"], ["json", "JSON"], ["file", "A file"]]);
  const text = make("textarea", { rows: "8", spellcheck: "false" });
  const file = make("input", { type: "file" });
  const key = input("");
  const id = input("");
  const delay = input("", { placeholder: "such as 30s" });
  const headers = make("textarea", { rows: "2", spellcheck: "false", placeholder: "type: order" });
  const fileField = field("File", file);
  const textField = field("Data", text);
  fileField.hidden = true;
  kind.addEventListener("change", () => {
    fileField.hidden = kind.value !== "file";
    textField.hidden = kind.value === "file";
  });

  function requestHeaders() {
    const all = {};
    for (const line of headers.value.split("\n").filter((each) => each.trim() !== "")) {
      const at = line.indexOf(":");
      if (at < 1) {
        throw new Error("A header is a name, a colon and a value: " + line);
      }
      all["River-Header-" + line.slice(0, at).trim()] = utf8(line.slice(at + 1).trim());
    }
    for (const [name, made] of [["River-Key", key], ["River-Id", id], ["River-Delay", delay]]) {
      if (made.value !== "") {
        all[name] = utf8(made.value);
      }
    }
    return all;
  }

  const made = await dialog({
    title: "Publish to " + queue,
    label: "Publish",
    body: make("div", {}, field("What", kind), textField, fileField, field("Key", key), field("Id", id, "The same id again within the queue's window publishes nothing."), field("Delay", delay), field("Headers, one a line", headers)),
    action: async () => {
      if (kind.value === "json") {
        json(text.value);
      }
      if (kind.value === "file" && file.files.length === 0) {
        throw new Error("Choose a file.");
      }
      const data = kind.value === "file" ? file.files[0] : text.value;
      const answer = await api.publish(queue, data, requestHeaders());
      note((answer.duplicate ? "It was there already, as sequence " : "Published as sequence ") + format.exact(answer.sequence) + ".");
    },
  });
  if (made) {
    done();
  }
}

/** Headers are bytes in UTF-8; fetch takes a character a byte. */
function utf8(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

export function open(main, route) {
  const queue = route.queue;
  const mayPublish = api.may("publish", queue);
  const query = route.query;
  const by = select([["from", "From a sequence"], ["last", "The last messages"], ["at", "From a time"], ["key", "With a key"]], query.get("by") ?? "last");
  const value = input(query.get("value") ?? "", { "aria-label": "Sequence, time or key" });
  const filter = input(query.get("filter") ?? "", { "aria-label": "Only messages that match the expression", placeholder: "json.amount > 100", spellcheck: "false" });
  const said = make("p", { class: "soft", role: "status" });
  const list = make("div");
  const more = button("Next page", () => search(next));
  let next = null;
  more.hidden = true;
  by.setAttribute("aria-label", "Search by");

  async function start() {
    if (by.value === "last") {
      const { stats } = await api.get(api.of(queue));
      const last = BigInt(stats.nextSequence) - BigInt(COUNT);
      return String(filter.value !== "" || last < 0n ? 0 : last); // the log may begin later than its backups
    }
    if (by.value === "at") {
      const { messages } = await api.get(api.of(queue) + "/messages?preview=1&at=" + encodeURIComponent(new Date(value.value).toISOString()));
      return messages.length === 0 ? null : String(messages[0].sequence);
    }
    return by.value === "key" ? "0" : String(BigInt(value.value || "0"));
  }

  async function search(from) {
    setText(said, "searching…");
    try {
      const begin = from ?? (await start());
      if (begin === null) {
        replace(list);
        setText(said, "There is no message at or after that time.");
        return;
      }
      const parameters = new URLSearchParams({ from: begin, max: COUNT, preview: PREVIEW });
      if (by.value === "key") {
        parameters.set("key", value.value);
      } else if (filter.value !== "") {
        parameters.set("filter", filter.value);
      }
      const found = await api.get(api.of(queue) + "/messages?" + parameters);
      next = found.next === undefined ? null : String(found.next);
      more.hidden = next === null;
      replace(list, ...found.messages.map(shown));
      setText(said, format.messages(found.messages.length) + (next === null ? "; this is the end" : "; the next page begins with sequence " + format.exact(next)));
    } catch (failure) {
      replace(list);
      more.hidden = true;
      setText(said, failure instanceof RangeError || failure instanceof SyntaxError ? "That is no sequence or time." : failure.message);
    }
  }

  function shown(message) {
    const words = message.text ?? message.data;
    const size = words === undefined ? (message.bytes ?? format.fromBase64(message.base64).length) : 0;
    const text = words ?? "binary, " + format.bytes(size);
    const cancel = mayPublish
      ? button("Cancel this message…", async () => {
          const done = await confirm({
            title: "Cancel message " + format.exact(message.sequence),
            text: "It is not delivered any more, to any subscriber.",
            label: "Cancel the message",
            action: async () => note("Message " + format.exact(message.sequence) + ": " + (await api.call("DELETE", api.of(queue) + "/messages/" + message.sequence)).result.toLowerCase().replace("_", " ") + "."),
          });
          if (done) {
            search();
          }
        }, "danger")
      : null;
    return shownMessage(queue, message, { title: format.exact(message.sequence) + " · " + format.time(message.publishedAt) + (message.key === undefined ? "" : " · " + message.key) + " · " + text.slice(0, 120), exact: words === undefined ? format.exactBytes(size) : undefined, actions: [cancel] });
  }

  main.append(
    make("h1", { text: queue }),
    tabs(route, "/messages"),
    make("form", {
      class: "bar",
      submit: (event) => {
        event.preventDefault();
        history.replaceState(null, "", "#/queues/" + queue + "/messages?" + new URLSearchParams({ by: by.value, value: value.value, filter: filter.value }));
        search();
      },
    }, by, value, filter, make("button", { class: "main", text: "Search" }), mayPublish ? make("span", { class: "end" }, button("Publish…", () => publish(queue, () => search()), "main")) : null),
    said, list, more,
  );
  const adapt = () => {
    value.hidden = by.value === "last";
    value.type = by.value === "at" ? "datetime-local" : "text";
    filter.hidden = by.value === "key";
  };
  by.addEventListener("change", () => {
    value.value = "";
    adapt();
  });
  adapt();
  if (api.may("consume", queue)) {
    search();
  } else {
    setText(said, "This key may not read the messages of the queue.");
  }
  return {};
}
