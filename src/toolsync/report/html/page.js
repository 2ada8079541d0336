"use strict";
// Opens rows and filters them. Data becomes elements by textContent alone, so it stays text.
(() => {
  const data = document.getElementById("data").textContent.split("\n");
  const rows = [...document.querySelectorAll("#tools .row")];
  const groups = [...document.querySelectorAll("#groups .row")];
  const find = document.getElementById("find");
  const chunks = [...document.querySelectorAll("#tools > .chunk")];
  const shown = document.getElementById("shown");
  const none = document.getElementById("none");
  const levels = [...document.querySelectorAll("nav [data-level]")];
  const names = rows.map((row) => row.querySelector(".name").textContent.toLowerCase());
  const [SAME, GONE, NEW, EDIT, WORDS, FOLD] = [0, 1, 2, 3, 4, 5];

  const make = (tag, kind, ...children) => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    made.append(...children);
    return made;
  };

  // ---- What a row unfolds to

  const sentence = (parts) =>
    parts.map(([text, code]) => (code ? make("code", "", text) : text));

  const marked = (pieces, but) =>
    pieces
      .filter(([kind]) => kind !== but)
      .map(([kind, text]) => (kind ? make(kind === GONE ? "del" : "ins", "", text) : text));

  const finding = (found) => {
    const head = make("p", "");
    if (found.level) head.append(make("span", found.level, found.level), " ");
    head.append(...sentence(found.message));
    const where = make("p", "", make("span", "path", found.path), make("span", "rule", found.rule));
    const box = make("div", "finding", head, where);
    if (found.words) {
      box.append(make("p", "words", ...marked(found.words), found.more ? " …" : ""));
    }
    if (typeof found.old === "string") box.append(make("p", "value gone", "− " + found.old));
    if (typeof found.new === "string") box.append(make("p", "value new", "+ " + found.new));
    if (found.witness) {
      box.append(make("p", "witness", make("span", "rule", found.verdict + ": "), found.witness));
    }
    if (found.was) box.append(make("p", "rule", found.was));
    return box;
  };

  const cell = (depth, kind, sign, ...children) => {
    const made = make("td", kind, ...children);
    if (sign) made.dataset.sign = sign;
    if (depth >= 0) made.style.paddingLeft = `${1.75 + Math.min(depth, 24)}rem`;
    return made;
  };

  const line = (row) => {
    const [kind, depth, text, other] = row;
    const made = make("tr", "");
    if (kind === SAME) made.append(cell(depth, "", "", text), cell(depth, "", "", text));
    else if (kind === GONE) made.append(cell(depth, "gone", "−", text), cell(-1, "", ""));
    else if (kind === NEW) made.append(cell(-1, "", ""), cell(depth, "new", "+", text));
    else if (kind === EDIT) {
      made.append(cell(depth, "gone", "−", text), cell(depth, "new", "+", other));
    } else if (kind === WORDS) {
      made.append(
        cell(depth, "gone", "−", text, '"', ...marked(other, NEW), '"'),
        cell(depth, "new", "+", text, '"', ...marked(other, GONE), '"'),
      );
    } else if (kind === FOLD) made.append(fold(depth));
    return made;
  };

  const fold = (inner) => {
    const made = make("td", "fold");
    made.colSpan = 2;
    if (typeof inner === "number") {
      made.append(`… ${inner} unchanged lines`);
      return made;
    }
    const button = make("button", "", `… ${inner.length} unchanged lines`);
    button.type = "button";
    button.addEventListener("click", () => made.parentNode.replaceWith(...inner.map(line)));
    made.append(button);
    return made;
  };

  const definition = (lines) => {
    const head = make("tr", "", make("th", "", "old"), make("th", "", "new"));
    const body = make("tbody", "", ...lines.map(line));
    return make("table", "", make("thead", "", head), body);
  };

  const AT_ONCE = 200;

  const tell = (body, findings, before = null) => {
    for (const each of findings.slice(0, AT_ONCE)) body.insertBefore(finding(each), before);
    const left = findings.slice(AT_ONCE);
    if (!left.length) return;
    const button = make("button", "more", `${left.length} more findings`);
    button.type = "button";
    button.addEventListener("click", () => {
      tell(body, left, button);
      button.remove();
    });
    body.insertBefore(button, before);
  };

  const unfold = (row) => {
    if (row.querySelector(":scope > .body")) return;
    const told = JSON.parse(data[Number(row.dataset.at)]);
    const body = make("div", "body");
    tell(body, told.findings);
    if (told.names) body.append(make("p", "", make("code", "", told.names.join(", "))));
    if (told.rows && told.rows.length) body.append(definition(told.rows));
    if (told.cut) body.append(make("p", "rule", "Its definition is too long for this page."));
    row.append(body);
  };

  document.addEventListener("toggle", (event) => event.target.open && unfold(event.target), true);

  // ---- Filters

  const filter = () => {
    const text = find.value.trim().toLowerCase();
    const wanted = levels.filter((each) => each.ariaPressed === "true").map((each) => each.dataset.level);
    const fits = (row) => !wanted.length || wanted.includes(row.dataset.level);
    let count = 0;
    rows.forEach((row, at) => {
      const fit = fits(row) && names[at].includes(text);
      if (row.hidden === fit) row.hidden = !fit;
      count += fit;
    });
    for (const chunk of chunks) chunk.hidden = !chunk.querySelector(":scope > .row:not([hidden])");
    for (const group of groups) group.hidden = Boolean(text) || !fits(group);
    for (const title of document.querySelectorAll("main > h2")) title.hidden = Boolean(text);
    shown.textContent =
      count === rows.length ? `${count} tool${count === 1 ? "" : "s"}` : `${count} of ${rows.length} tools`;
    none.hidden = count > 0;
  };

  find.addEventListener("input", filter);
  for (const button of levels) {
    button.addEventListener("click", () => {
      button.ariaPressed = String(button.ariaPressed !== "true");
      filter();
    });
  }

  // ---- Keys

  const beside = (row, forward) => {
    const all = [...groups, ...rows];
    let at = row ? all.indexOf(row) : forward ? -1 : all.length;
    do at += forward ? 1 : -1;
    while (all[at] && (all[at].hidden || all[at].tagName !== "DETAILS"));
    return all[at];
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target === find;
    if (event.key === "/" && !typing) {
      find.focus();
      find.select();
    } else if (event.key === "Escape" && typing && find.value) {
      find.value = "";
      filter();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const row = event.target.closest("details");
      if (!row && !typing) return;
      const next = beside(row, event.key === "ArrowDown");
      if (next) next.querySelector("summary").focus();
    } else return;
    event.preventDefault();
  });
})();
