// Numbers, sizes, ages and times for people. What is rounded has its exact value as a title.
const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const timeZone = zone;

/** Formats a whole number: a number, or text of digits where a number would not be exact. */
export function exact(value) {
  return WHOLE.format(typeof value === "string" ? BigInt(value) : value);
}

/** Formats a number of messages with their noun. */
export function messages(value) {
  return exact(value) + (String(value) === "1" ? " message" : " messages");
}

export function count(value) {
  const number = Number(value);
  if (Math.abs(number) < 100000) {
    return exact(value);
  }
  return COMPACT.format(number);
}

export function bytes(value) {
  let number = Number(value);
  let unit = 0;
  while (number >= 1024 && unit < UNITS.length - 1) {
    number /= 1024;
    unit++;
  }
  return (number < 10 && unit > 0 ? TENTHS : WHOLE).format(number) + " " + UNITS[unit];
}

export function rate(value) {
  return (value < 10 ? TENTHS : WHOLE).format(value) + "/s";
}

export function exactRate(value) {
  return Number(Number(value).toPrecision(12)) + " a second"; // a sum of doubles has more digits than it means
}

export function exactBytes(value) {
  return exact(value) + " bytes";
}

export function age(millis) {
  const seconds = Math.floor(Number(millis) / 1000);
  if (seconds < 1) {
    return Number(millis) > 0 ? "<1 s" : "–";
  }
  if (seconds < 60) {
    return seconds + " s";
  }
  if (seconds < 3600) {
    return Math.floor(seconds / 60) + " min " + (seconds % 60) + " s";
  }
  if (seconds < 86400) {
    return Math.floor(seconds / 3600) + " h " + Math.floor((seconds % 3600) / 60) + " min";
  }
  return Math.floor(seconds / 86400) + " d " + Math.floor((seconds % 86400) / 3600) + " h";
}

/** Formats a time of the server in the time zone of the browser. */
export function time(text) {
  const at = new Date(text);
  return at.toLocaleString("sv", { timeZone: zone }) + "." + String(at.getMilliseconds()).padStart(3, "0");
}

export function clock(text) {
  return new Date(text).toLocaleTimeString("sv", { timeZone: zone });
}

/** Formats bytes as rows of hexadecimal digits and, beside them, printable ASCII. */
export function hex(data) {
  const rows = [];
  for (let at = 0; at < data.length; at += 16) {
    const row = Array.from(data.subarray(at, at + 16));
    const digits = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    rows.push(at.toString(16).padStart(6, "0") + "  " + digits.padEnd(47) + "  " + text);
  }
  return rows.join("\n");
}

export function fromBase64(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
