"use strict";
// Sorting and searching of tables, and copying. Without it the page is all there, in one order.
(() => {
  const collator = new Intl.Collator("en", { numeric: true });

  // What a cell is sorted by: its number if it has one, else its text.
  function key(row, index) {
    const cell = row.cells[index];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    return cell.textContent;
  }

  function compare(a, b, direction, isNumber) {
    // What has no number comes last either way.
    const missing = (value) => isNumber && typeof value !== "number";
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    return direction * (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
  }

  function sort(table, heading) {
    const index = heading.cellIndex;
    const body = table.tBodies[0];
    const direction = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const rows = Array.from(body.rows, (row) => [key(row, index), row]);
    const isNumber = heading.dataset.kind === "number";
    rows.sort((a, b) => compare(a[0], b[0], direction, isNumber));
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
    body.append(...rows.map(([, row]) => row));
  }

  function addSorting(table) {
    for (const heading of table.tHead.rows[0].cells) {
      // Beside the text and not around it: on paper the text is repeated on each page, buttons are not.
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", `Sort by ${heading.textContent}`);
      // With the last word, or the button may stand on a line of its own.
      const end = document.createElement("span");
      end.className = "end";
      const text = heading.firstChild ?? heading.appendChild(document.createTextNode(""));
      end.append(text.splitText(text.data.lastIndexOf(" ") + 1), "\u00a0", button);
      heading.append(end);
      heading.addEventListener("click", () => sort(table, heading));
    }
  }

  function addSearch(box, table) {
    // Spaces that no line breaks at are spaces to who types.
    const plain = (text) => text.toLowerCase().replaceAll("\u00a0", " ");
    const rows = Array.from(table.tBodies[0].rows, (row) => [row, plain(row.textContent)]);
    const tools = document.createElement("div");
    tools.className = "tools";
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "search";
    label.append("Search ", input);
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    tools.append(label, status);
    const show = () => {
      const wanted = plain(input.value.trim());
      let count = 0;
      for (const [row, text] of rows) {
        row.hidden = !text.includes(wanted);
        count += !row.hidden;
      }
      const all = `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
      status.textContent = wanted ? `${count} of ${all}` : all;
    };
    input.addEventListener("input", show);
    show();
    box.insertBefore(tools, box.querySelector(".scroll"));
  }

  function addCopying(text) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      // A page from a file may not write to the clipboard by itself, but may copy what is selected.
      getSelection().selectAllChildren(text);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected: copy it with Ctrl-C";
    });
    text.after(button);
  }

  // Paper cannot be opened further.
  function openOnPaper(details) {
    let wasOpen = details.open;
    addEventListener("beforeprint", () => { wasOpen = details.open; details.open = true; });
    addEventListener("afterprint", () => { details.open = wasOpen; });
  }

  for (const details of document.querySelectorAll("details")) openOnPaper(details);
  for (const text of document.querySelectorAll("[data-copy]")) addCopying(text);
  for (const box of document.querySelectorAll("[data-live]")) {
    const table = box.querySelector("table");
    addSorting(table);
    addSearch(box, table);
  }
})();
