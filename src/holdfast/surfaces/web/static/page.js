// Keys and the live feed. Every page works without this file.
"use strict";
(() => {
  document.documentElement.classList.add("js");
  const find = (what, from = document) => from.querySelector(what);
  const all = (what) => [...document.querySelectorAll(what)];
  const rows = () => all("[data-row]");
  const current = () => rows().findIndex((row) => row.hasAttribute("aria-current"));
  const busy = () => find("#inbox.htmx-request, #inbox .htmx-request") !== null;

  function choose(row) {
    if (!row) return;
    rows().forEach((one) => one.removeAttribute("aria-current"));
    row.setAttribute("aria-current", "true");
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    row.click();
  }

  // A key that decides counts only for the item that is both marked in the list and shown in full.
  function press(key, item = find("#detail")?.dataset.item, tries = 40) {
    const button = find(`[data-key="${key}"]`);
    if (!button) return;
    const shown = find("#detail[data-item]"), marked = rows()[current()];
    if (button.closest("#detail") && shown && (shown.dataset.item !== item || marked?.dataset.row !== item)) return;
    // What was put in just now is not taken up by htmx yet, and a click would load the whole page. A key for an item
    // whose decision is under way finds another one in its place, and counts for nothing.
    const live = button.closest("[hx-post], [hx-get]");
    if ((busy() || (window.htmx && live && !live.hasAttribute("data-htmx-powered"))) && tries) {
      setTimeout(() => press(key, item, tries - 1), 25);
    } else button.click();
  }

  // What is ticked is what a key decides on; where nothing is, it is the item that is shown.
  function decide(key) {
    const bulk = find(".waiting input:checked, .bulk input:checked") && find(`[data-bulk="${key}"]`);
    if (bulk) bulk.click(); else press(key);
  }

  const keys = {
    j: () => choose(rows()[Math.min(current() + 1, rows().length - 1)]),
    k: () => choose(rows()[Math.max(current() - 1, 0)]),
    x: () => { const row = rows()[current()]; if (row) find("input[type=checkbox]", row.closest("li")).click(); },
    "/": () => { const box = find("input[type=search]"); if (box) { box.focus(); box.select(); } },
    "?": () => { const help = find("#keys"); if (help) help.showModal(); },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest("input:not([type=checkbox]), textarea, select");
    if (event.key === "Escape" && typing) return typing.blur();
    if (typing || find("dialog[open]")) return;
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
    else if ("aersu".includes(event.key)) { event.preventDefault(); decide(event.key); }
  });

  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-row]");
    if (row) { rows().forEach((one) => one.removeAttribute("aria-current")); row.setAttribute("aria-current", "true"); }
    if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
    if (event.target.closest("[data-keys]")) { event.preventDefault(); keys["?"](); }
  });

  // What somebody wrote and did not save is not lost without a question.
  const unsaved = () => all("textarea").some((one) => one.value !== one.defaultValue);
  window.addEventListener("beforeunload", (event) => { if (unsaved()) event.preventDefault(); });
  // A look behind the page replaces nothing that somebody writes in.
  document.addEventListener("htmx:before:request", (event) => {
    if (!event.target.closest?.("[data-quiet]") && unsaved() && !window.confirm("What you wrote is not saved. Leave it?")) event.preventDefault();
  });
  document.addEventListener("submit", (event) => {
    event.target.querySelectorAll("textarea").forEach((one) => { one.defaultValue = one.value; });
    // After the form is on its way, since what is off is not sent.
    if (event.target.matches("[data-once]")) setTimeout(() => { find("button", event.target).disabled = true; });
  }, true);

  // What comes in by a swap and wants the focus gets it; a list keeps its marked row in sight.
  new MutationObserver(() => {
    const field = find("[data-focus]");
    if (field) { field.removeAttribute("data-focus"); field.focus(); }
  }).observe(document.body, { childList: true, subtree: true });

  // On a narrow screen the facets would stand before everything else.
  const facets = find(".facets details");
  if (facets && window.matchMedia("(max-width: 860px)").matches) facets.open = false;

  const here = find(".side nav [aria-current]");
  if (here) here.parentElement.parentElement.scrollLeft = here.offsetLeft - 40;

  const feed = find("#feed[data-from]");
  if (feed && window.EventSource) {
    const source = new EventSource(feed.dataset.from);
    source.onmessage = (event) => {
      const told = JSON.parse(event.data), item = document.createElement("li"), line = document.createElement("div");
      const words = document.createElement("small");
      line.textContent = told.text; words.textContent = told.about;
      item.append(line, words); feed.prepend(item);
      const empty = find("[data-empty]", feed); if (empty) empty.remove();
      while (feed.children.length > 50) feed.lastElementChild.remove();
    };
    window.addEventListener("pagehide", () => source.close());
  }
})();
