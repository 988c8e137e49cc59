// What the queues and subscribers of this server stand at, every two seconds. It only reads. The
// key stays in the page's memory; what comes from the server is shown as text, never as markup.
"use strict";

const PAUSE_MILLIS = 2000;
const note = document.getElementById("note");
const key = document.getElementById("key");
let timer = 0;

async function ask(path) {
  const headers = key.value === "" ? {} : { Authorization: "Bearer " + key.value };
  const answer = await fetch(path, { headers });
  const body = await answer.json();
  if (!answer.ok) {
    throw new Error(body.detail === undefined ? body.title : body.title + ": " + body.detail);
  }
  return body;
}

function cell(value, bad) {
  const made = document.createElement("td");
  const isNumber = typeof value === "number";
  made.textContent = isNumber ? value.toLocaleString("en") : value === undefined ? "" : value;
  made.classList.toggle("text", !isNumber);
  made.classList.toggle("bad", bad === true);
  return made;
}

function show(table, rows) {
  const body = document.querySelector(table + " tbody");
  body.replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement("tr");
      row.append(...cells);
      return row;
    }),
  );
}

function queueRow({ name, state, stats }) {
  return [
    cell(name),
    cell(state, state === "FAILED"),
    cell(stats.messages),
    cell(stats.bytes),
    cell(stats.blocks),
    cell(stats.nextSequence),
    cell(stats.delayed),
    cell(stats.backups),
    cell(stats.lost, stats.lost > 0),
    cell(stats.discarded, stats.discarded > 0),
    cell(stats.diskFree),
  ];
}

function subscriberRow({ queue, name, stats }) {
  return [
    cell(queue),
    cell(name),
    cell(stats.lag),
    cell(stats.inFlight),
    cell(stats.ackFloor),
    cell(Math.round((stats.oldestUnfinishedAgeMillis ?? 0) / 1000)),
    cell(stats.delivered),
    cell(stats.acked),
    cell(stats.redelivered),
    cell(stats.dead, stats.dead > 0),
    cell(stats.expired),
  ];
}

async function refresh() {
  clearTimeout(timer);
  try {
    const { queues } = await ask("v1/queues");
    const lists = await Promise.all(
      queues.map(({ name }) => ask("v1/queues/" + encodeURIComponent(name) + "/subscribers")),
    );
    show("#queues", queues.map(queueRow));
    show("#subscribers", lists.flatMap(({ subscribers }) => subscribers).map(subscriberRow));
    note.textContent = queues.length === 0 ? "no queues yet" : "";
  } catch (failure) {
    note.textContent = failure.message;
  }
  timer = setTimeout(refresh, PAUSE_MILLIS);
}

document.getElementById("access").addEventListener("submit", (event) => {
  event.preventDefault();
  refresh();
});
refresh();
