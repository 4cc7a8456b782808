"use strict";
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const unfold = (body) => { body.hidden = false; body.previousElementSibling?.remove(); };
  for (const body of all("tbody.fold")) {
    const row = document.createElement("tbody");
    row.className = "unfold";
    row.innerHTML = '<tr><td colspan="5"><button type="button"></button></td></tr>';
    const button = row.querySelector("button");
    button.textContent = body.dataset.lines + " equal lines";
    button.addEventListener("click", () => unfold(body));
    body.before(row);
    body.hidden = true;
  }
  const hits = all("tr.hit").filter((row, at, rows) => at === 0 || rows[at - 1].nextElementSibling !== row
    && rows[at - 1].nextElementSibling?.nextElementSibling !== row);
  const functions = all("section.function");
  const go = (rows, step) => {
    const middle = innerHeight / 3;
    const tops = rows.map((row) => row.getBoundingClientRect().top - middle);
    const at = step > 0 ? tops.findIndex((top) => top > 2) : tops.findLastIndex((top) => top < -2);
    const row = rows[at];
    if (!row) return;
    all("tr.at").forEach((other) => other.classList.remove("at"));
    row.classList.add("at");
    scrollTo({ top: scrollY + tops[at], behavior: "instant" });
  };
  const stored = (() => { try { return localStorage.getItem("umbra-theme"); } catch { return null; } })();
  if (stored) document.documentElement.dataset.theme = stored;
  const theme = () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("umbra-theme", root.dataset.theme); } catch { /* the page works without */ }
  };
  const keys = {
    j: () => go(hits, 1), k: () => go(hits, -1),
    n: () => go(functions, 1), p: () => go(functions, -1),
    e: () => all("tbody.fold").forEach((body) => body.hidden && unfold(body)), t: theme,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    keys[event.key]?.();
  });
  const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link.parentElement]));
  const watch = new IntersectionObserver((entries) => entries.forEach((entry) =>
    links.get(entry.target.id)?.classList.toggle("here", entry.isIntersecting)), { rootMargin: "-20% 0px -60% 0px" });
  functions.forEach((section) => watch.observe(section));
})();
