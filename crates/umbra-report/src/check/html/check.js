"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  all("[data-script]").forEach((one) => { one.hidden = false; });

  // Light and dark.
  const stored = (() => { try { return localStorage.getItem("umbra-theme"); } catch { return null; } })();
  if (stored === "light" || stored === "dark") root.dataset.theme = stored;
  const themeButton = document.querySelector(".theme");
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const nameTheme = () => {
    themeButton.textContent = isDark() ? "Light" : "Dark";
    themeButton.ariaLabel = `${themeButton.textContent} theme`;
  };
  const theme = () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("umbra-theme", root.dataset.theme); } catch { /* the page works without */ }
    nameTheme();
  };
  themeButton.addEventListener("click", theme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
  nameTheme();

  // Equal lines are folded.
  const unfold = (body) => { body.hidden = false; body.previousElementSibling?.remove(); };
  for (const body of all("tbody.fold")) {
    const fold = document.createElement("tbody");
    const button = document.createElement("button");
    const cell = fold.appendChild(document.createElement("tr")).appendChild(document.createElement("td"));
    fold.className = "unfold";
    cell.colSpan = 2;
    button.type = "button";
    button.textContent = body.dataset.lines + " equal lines";
    button.addEventListener("click", () => unfold(body));
    cell.append(button);
    body.before(fold);
    body.hidden = true;
  }

  // What is copied is what is shown, so that a hostile command cannot hide in it.
  const copy = async (button) => {
    const code = button.parentElement.querySelector("code");
    let done = true;
    try { await navigator.clipboard.writeText(code.textContent); } catch {
      getSelection().selectAllChildren(code);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
  all(".copy").forEach((button) => button.addEventListener("click", () => copy(button)));

  // Filters and search.
  const findings = all(".finding");
  const texts = new Map(findings.map((one) => [one, one.textContent.toLowerCase()]));
  const search = document.getElementById("search");
  const chips = all("[data-filter]");
  const aside = all(".aside");
  const isSetAside = (one) => aside.length > 0 && aside[0].compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
  const filter = () => {
    const wanted = (name) => chips.filter((chip) => chip.dataset.filter === name && chip.ariaPressed === "true").map((chip) => chip.dataset.value);
    const filters = { class: wanted("class"), kind: wanted("kind") };
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const one of findings) {
      const fits = Object.entries(filters).every(([name, values]) => !values.length || values.includes(one.dataset[name]))
        && words.every((word) => texts.get(one).includes(word));
      one.hidden = !fits;
      shown += fits;
    }
    const filtered = words.length || filters.class.length || filters.kind.length;
    aside.forEach((one) => { one.hidden = !findings.some((finding) => !finding.hidden && isSetAside(finding)); });
    document.querySelector(".nothing").hidden = shown > 0;
    document.querySelector(".shown").textContent = filtered ? `${shown} of ${findings.length} findings are shown` : "";
  };
  const showAll = () => {
    if (!search) return;
    search.value = "";
    chips.forEach((chip) => { chip.ariaPressed = "false"; });
    filter();
  };
  if (search) {
    search.addEventListener("input", filter);
    search.form.addEventListener("submit", (event) => event.preventDefault());
    document.querySelector(".nothing button").addEventListener("click", () => { showAll(); search.focus(); });
    for (const chip of chips) {
      chip.addEventListener("click", () => { chip.ariaPressed = chip.ariaPressed === "true" ? "false" : "true"; filter(); });
    }
  }

  // Who follows a link to a finding sees it unfolded.
  const open = () => {
    const finding = /^#finding-\d+$/.test(location.hash) && document.querySelector(location.hash);
    if (!finding) return;
    if (finding.hidden) showAll();
    finding.querySelector("details").open = true;
    finding.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();

  // Paper has no folds.
  addEventListener("beforeprint", () => { all("details").forEach((one) => { one.open = true; }); all("tbody.fold").forEach(unfold); });

  // Keys.
  const go = (step) => {
    const shown = findings.filter((one) => !one.hidden).map((one) => one.querySelector("summary"));
    const at = shown.findIndex((one) => one.closest(".finding").contains(document.activeElement));
    const next = shown[at < 0 ? (step > 0 ? 0 : shown.length - 1) : at + step];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  };
  const toggleAll = () => {
    const shown = findings.filter((one) => !one.hidden).map((one) => one.querySelector("details"));
    const folded = shown.some((one) => !one.open);
    shown.forEach((one) => { one.open = folded; });
  };
  const keys = {
    j: () => go(1), k: () => go(-1), e: toggleAll, t: theme,
    "/": (event) => { event.preventDefault(); search?.focus(); search?.select(); },
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target === search) {
      if (event.key === "Escape") { showAll(); search.blur(); }
      if (event.key === "Enter") go(1);
      return;
    }
    keys[event.key]?.(event);
  });

  // The place of the reader, at the side.
  const links = new Map(all(".side a").map((link) => [link.hash.slice(1), link.parentElement]));
  const watch = new IntersectionObserver((entries) => entries.forEach((entry) =>
    links.get(entry.target.id)?.classList.toggle("here", entry.isIntersecting)), { rootMargin: "-15% 0px -75% 0px" });
  all("main section, .finding").forEach((one) => links.has(one.id) && watch.observe(one));
})();
