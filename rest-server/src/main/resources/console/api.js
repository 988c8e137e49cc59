// Requests to the server. The key stays in this module's memory; there are no cookies.
let key = "";
let allowed = { key: "", publish: [], consume: [], metrics: [], admin: [] };

export function useKey(text) {
  key = text;
}

export class Problem extends Error {
  constructor(status, body) {
    const where = body.field ? body.field + " " : "";
    super((body.title ?? "The request failed") + (body.detail ? ": " + where + body.detail : ""));
    this.status = status;
  }
}

// JSON's texts, or a whole number that a double would not hold exactly.
const TOKENS = /"(?:[^"\\]+|\\.)*"|-?\d{16,}(?![\d.eE])/g;

/** Parses JSON; whole numbers of 16 digits and more become text, so that they stay exact. */
export function parse(text) {
  return JSON.parse(/\d{16}/.test(text) ? text.replace(TOKENS, (found) => (found[0] === '"' ? found : '"' + found + '"')) : text);
}

function headers(more) {
  return key === "" ? more : { ...more, Authorization: "Bearer " + key };
}

async function problem(answer) {
  let body = {};
  try {
    body = await answer.json();
  } catch {
    body = { title: "The server answered " + answer.status };
  }
  return new Problem(answer.status, body);
}

async function send(method, path, body, more = {}) {
  const answer = await fetch(path, { method, headers: headers(more), body, cache: "no-store" });
  if (!answer.ok) {
    throw await problem(answer);
  }
  return answer;
}

export async function get(path) {
  return parse(await (await send("GET", path)).text());
}

/** Reads JSON and its entity tag. */
export async function tagged(path) {
  const answer = await send("GET", path);
  return { found: parse(await answer.text()), tag: answer.headers.get("ETag") };
}

/** Sends JSON, or nothing; resolves to the JSON of the answer, if it has one. */
export async function call(method, path, json, more = {}) {
  const answer = await send(
    method,
    path,
    json === undefined ? undefined : JSON.stringify(json),
    json === undefined ? more : { ...more, "Content-Type": "application/json" },
  );
  const text = await answer.text();
  return text === "" ? null : parse(text);
}

/** Sends text that is JSON already, for numbers that a double would not hold exactly. */
export async function raw(method, path, text) {
  await send(method, path, text, { "Content-Type": "application/json" });
}

/** Publishes bytes or a text as they are. */
export async function publish(queue, data, more) {
  const answer = await send("POST", of(queue) + "/messages", data, { "Content-Type": "application/octet-stream", ...more });
  return parse(await answer.text());
}

export async function blob(path) {
  return (await send("GET", path)).blob();
}

export function of(queue, subscriber) {
  const path = "v1/queues/" + encodeURIComponent(queue);
  return subscriber === undefined ? path : path + "/subscribers/" + encodeURIComponent(subscriber);
}

/** Returns whether the key has a right on a queue. The server decides again for each request. */
export function may(right, queue) {
  return allowed[right].some((pattern) =>
    pattern.endsWith("*") ? queue.startsWith(pattern.slice(0, -1)) : pattern === queue,
  );
}

export function mayAnything(right) {
  return allowed[right].length > 0;
}

/** Returns what the key may do, as it was read last. */
export function access() {
  return allowed;
}

/** Reads what the key may do. */
export async function readAccess() {
  allowed = await get("v1/access");
  return allowed;
}

/** Reads lines of JSON as they come, until the stream ends or is aborted. */
export async function stream(path, signal, onLine) {
  const answer = await fetch(path, { headers: headers({}), signal, cache: "no-store" });
  if (!answer.ok) {
    throw await problem(answer);
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line !== "") {
        onLine(JSON.parse(line));
      }
    }
  }
}
