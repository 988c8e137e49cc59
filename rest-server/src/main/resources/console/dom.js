// Makes elements. What comes from the server is always text, never markup.

/** Makes an element: attributes, "class", "text", listeners as functions, then its children. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) {
      continue;
    }
    if (key === "text") {
      element.textContent = value;
    } else if (typeof value === "function") {
      element.addEventListener(key, value);
    } else {
      element.setAttribute(key, value === true ? "" : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Sets a text and a title, and nothing where they are the same. */
export function setText(element, text, title) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
  if (title !== undefined && element.title !== title) {
    element.title = title;
  }
}

export function button(text, action, kind) {
  return make("button", { type: "button", class: kind, click: action, text });
}

/** A table in a box that scrolls by itself, and can be reached by keyboard for that. */
export function table(caption, columns, rows) {
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make(
      "table",
      {},
      make("caption", { text: caption }),
      make("thead", {}, make("tr", {}, columns.map((column) => (column.name === "" ? make("td") : make("th", { scope: "col", class: column.class, text: column.name }))))),
      make("tbody", {}, rows),
    ),
  );
}

export function tiles(entries) {
  const values = {};
  const list = make("dl", { class: "tiles" });
  for (const [name, label] of entries) {
    values[name] = make("dd", { text: "–" });
    list.append(make("div", {}, make("dt", { text: label }), values[name]));
  }
  return { list, values };
}

const FOCUSABLE = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']";
let opener = null; // of the dialog that is open

function focusables(box) {
  return [...box.querySelectorAll(FOCUSABLE)].filter((each) => each.checkVisibility());
}

/** Returns what takes the place of one that had the focus: one with its text, else one at its place, else the content. */
function successor(box, lost, before) {
  const after = focusables(box);
  const alike = (all) => all.filter((each) => each.textContent === lost.textContent);
  return alike(after)[alike(before).indexOf(lost)] ?? after[Math.min(before.indexOf(lost), after.length - 1)] ?? document.getElementById("main");
}

/** Replaces the children of an element. The focus stays, or is at what takes the place of what had it. */
export function replace(box, ...children) {
  const had = opener ?? document.activeElement;
  const within = had !== box && box.contains(had);
  const before = within ? focusables(box) : [];
  box.replaceChildren(...children);
  if (!within) {
    return;
  }
  const has = box.contains(had) ? had : successor(box, had, before);
  if (opener === null) {
    has.focus({ preventScroll: true });
  } else {
    opener = has;
  }
}

let fields = 0;

/** A labelled input; `made` is the input itself. */
export function field(label, made, help) {
  const id = "field-" + ++fields;
  made.id = id;
  const hint = help ? make("div", { class: "soft", id: id + "-help", text: help }) : null;
  if (hint) {
    made.setAttribute("aria-describedby", hint.id);
  }
  return make("div", { class: "field" }, make("label", { for: id, text: label }), made, hint);
}

export function input(value = "", attributes = {}) {
  const made = make("input", { type: "text", autocomplete: "off", ...attributes });
  made.value = value;
  return made;
}

export function select(options, chosen) {
  const made = make("select", {}, options.map(([value, text]) => make("option", { value, text })));
  if (chosen !== undefined) {
    made.value = chosen;
  }
  return made;
}

export function note(text, bad = false) {
  const made = make("div", { class: bad ? "note bad" : "note", text });
  document.getElementById("notes").append(made);
  setTimeout(() => made.remove(), bad ? 12000 : 6000);
}

/**
 * Opens a dialog and resolves when it is closed: to true if its action succeeded. The action may
 * fail with an error, which is shown, and the dialog stays.
 */
export function dialog({ title, body, action, label, danger, ready }) {
  return new Promise((resolve) => {
    const problem = make("p", { class: "bad", role: "alert" });
    const submit = make("button", { class: danger ? "danger" : "main", text: label });
    const box = make("dialog", { "aria-labelledby": "dialog-title" });
    let done = false;
    let busy = false;
    const allow = () => {
      submit.disabled = busy || (ready ? !ready() : false);
    };
    // Without this, Tab leaves the dialog for the browser's own buttons.
    const turn = (event) => {
      const all = focusables(box);
      if (document.activeElement === all.at(event.shiftKey ? 0 : -1)) {
        event.preventDefault();
        all.at(event.shiftKey ? -1 : 0).focus();
      }
    };
    const form = make(
      "form",
      {
        submit: async (event) => {
          event.preventDefault();
          if (busy) {
            return;
          }
          busy = true;
          const had = document.activeElement; // a button that is disabled loses the focus
          allow();
          problem.textContent = "";
          try {
            await action();
            done = true;
            box.close();
          } catch (failure) {
            problem.textContent = failure.message;
          }
          busy = false;
          allow();
          if (!done && !box.contains(document.activeElement)) {
            had.focus();
          }
        },
        input: allow,
        keydown: (event) => event.key === "Tab" && turn(event),
      },
      make("h2", { id: "dialog-title", text: title }),
      body,
      problem,
      make("div", { class: "buttons" }, button("Cancel", () => box.close()), submit),
    );
    allow();
    box.append(form);
    box.addEventListener("close", () => {
      const back = opener.isConnected ? opener : document.getElementById("main");
      opener = null;
      box.remove();
      back.focus();
      resolve(done);
    });
    document.body.append(box);
    opener = document.activeElement;
    box.showModal();
  });
}

/** Asks before an action; where a name is given it has to be typed. */
export function confirm({ title, text, label, name, action, danger = true }) {
  const typed = input("", { spellcheck: "false" });
  const body = make("div", {}, [].concat(text).map((line) => make("p", { text: line })));
  if (name) {
    body.append(field("Type " + name + " to confirm", typed));
  }
  return dialog({ title, body, label, danger, action, ready: name ? () => typed.value === name : undefined });
}
