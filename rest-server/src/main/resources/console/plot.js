// Plots of the past of a queue or subscriber, which the server keeps. The latest samples are appended to the
// shortest past; the longer ones are of means, which the server makes, and are fetched again.
import * as api from "./api.js";
import { button, make } from "./dom.js";
import * as format from "./format.js";

const POINTS = { "10m": 300, "1h": 240, "1d": 270 };
const NAMES = { "10m": "Last 10 minutes", "1h": "Last hour", "1d": "Last day" };
const HEIGHT = 170;
const LEAST_STEPS = 10;

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The axis of times is at least ten steps long, so that one sample is not a day by itself. */
function times(step) {
  return (u, low, high) => {
    if (low === null) {
      return [null, null];
    }
    const end = u.data[0].length === 1 ? low : high;
    return [Math.min(low, end - LEAST_STEPS * step), end];
  };
}

function options(plot, width, step) {
  const axis = { stroke: color("--soft"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    legend: { live: true },
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: true, range: times(step) }, y: { range: (u, low, high) => [0, Math.max(1, high * 1.05)] } },
    axes: [{ ...axis, space: 80, values: (u, values) => values.map((v) => format.clock(v * 1000)) }, { ...axis, size: 62, values: (u, values) => values.map((v) => plot.show(v)) }],
    series: [
      { value: (u, v) => (v === null ? "–" : format.clock(v * 1000)) },
      ...plot.lines.map(([, label], i) => ({
        label,
        stroke: color(["--accent", "--warn", "--bad"][i]),
        width: 1.5,
        value: (u, v) => (v === null || v === undefined ? "–" : plot.show(v)),
      })),
    ],
  };
}

/**
 * Shows plots; each has a title, lines (figure and label), and a function that shows a value.
 * `update` takes up the latest values of a row.
 */
export function plots(path, wanted) {
  let span = "10m";
  let past = null;
  let made = [];
  let fetching = false;
  let asked = 0; // requests, of which only the latest one's answer is shown
  const spans = Object.keys(POINTS).map((each) => {
    const made = button(NAMES[each], () => load(each));
    made.dataset.span = each;
    return made;
  });
  const boxes = wanted.map((plot) => make("figure", {}, make("figcaption", { text: plot.title })));
  const element = make("section", { "aria-label": "Plots" }, make("div", { class: "bar" }, make("h2", { text: "Past" }), spans), make("div", { class: "plots" }, boxes));

  function data(plot) {
    const longest = Math.max(0, ...Object.values(past.series).map((values) => values.length));
    const end = Date.parse(past.at) / 1000;
    const times = Array.from({ length: longest }, (_, i) => end - ((longest - 1 - i) * past.stepMillis) / 1000);
    return [times, ...plot.lines.map(([name]) => past.series[name])];
  }

  function width(box) {
    return Math.max(200, box.clientWidth - 18);
  }

  function draw() {
    made.forEach((each) => each.destroy());
    made = wanted.map((plot, i) => new uPlot(options(plot, width(boxes[i]), past.stepMillis / 1000), data(plot), boxes[i]));
  }

  async function load(next) {
    const mine = ++asked;
    span = next;
    past = null; // that of another span; its plot stays until the next one is drawn
    spans.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.span === span)));
    try {
      const found = await api.get(path + "/figures?span=" + next);
      if (mine === asked) {
        past = found;
        draw();
      }
    } catch {
      // the page says what is wrong
    }
  }

  async function fetchAgain() {
    const mine = ++asked;
    fetching = true;
    try {
      const found = await api.get(path + "/figures?span=" + span);
      if (mine === asked) {
        past = found;
        show();
      }
    } catch {
      // the page says what is wrong, and this is tried again
    }
    fetching = false;
  }

  function show() {
    made.forEach((each, i) => each.setData(data(wanted[i])));
  }

  const observer = new ResizeObserver(() => made.forEach((each, i) => each.setSize({ width: width(boxes[i]), height: HEIGHT })));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const recolor = () => past && draw();
  observer.observe(element);
  dark.addEventListener("change", recolor);
  load(span);
  return {
    element,
    update(row, at) {
      if (past === null || Date.parse(at) <= Date.parse(past.at) || row === undefined) {
        return;
      }
      if (span !== "10m") {
        if (!fetching && Date.parse(at) - Date.parse(past.at) >= past.stepMillis) {
          fetchAgain();
        }
        return;
      }
      past.at = at;
      for (const [name, values] of Object.entries(past.series)) {
        values.push(row[name] ?? 0);
        if (values.length > POINTS[span]) {
          values.shift();
        }
      }
      show();
    },
    close() {
      asked++;
      observer.disconnect();
      dark.removeEventListener("change", recolor);
      made.forEach((each) => each.destroy());
    },
  };
}
