// Uses the page of a report for test-report: looks at it in both themes at three widths, with axe, folds and unfolds,
// filters, searches, presses keys, prints, and does without scripts. Whatever the page asks the network for, prints to the
// console, or pops up is wrong.
//
// usage: node test_report.mjs TOOLS PAGES [PICTURES]

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const [tools, pages, pictures] = process.argv.slice(2);
const require = createRequire(path.join(tools, "node_modules", "x.js"));
const { chromium } = require("playwright-core");
const axe = require("axe-core").source;

const WIDTHS = [360, 800, 1400];
const THEMES = ["light", "dark"];
const SAMPLES = ["full", "empty", "interrupted"];

let failed = 0;
const check = (what, holds, detail = "") => {
  console.log(`${holds ? "ok     " : "FAILED "} ${what}${holds || !detail ? "" : `: ${detail}`}`);
  failed += holds ? 0 : 1;
};

const browser = await chromium.launch({
  executablePath: process.env.UMBRA_CHROMIUM || "/usr/bin/chromium",
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});

/** The page of a sample in a browser that has no network, and what it did that it should not. */
async function open(sample, options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  const address = pathToFileURL(path.join(pages, `${sample}.html`)).href;
  const wrong = [];
  page.on("console", (message) => wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { wrong.push("a dialog"); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== address) wrong.push(`request: ${request.url()}`); });
  await page.goto(address);
  return { page, context, wrong };
}

/** What axe has to say of a page. */
async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document));
  return found.violations.map((one) => `${one.id} (${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")})`);
}

async function looks(sample, theme, width) {
  const { page, context, wrong } = await open(sample, { colorScheme: theme, viewport: { width, height: 900 } });
  const name = `${sample}, ${theme}, ${width} wide`;
  if (pictures) await page.screenshot({ path: path.join(pictures, `${sample}-${theme}-${width}.png`), fullPage: true });
  let found = await violations(page);
  check(`${name}: axe finds nothing`, found.length === 0, found.join("; "));
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  if (pictures) await page.screenshot({ path: path.join(pictures, `${sample}-${theme}-${width}-unfolded.png`), fullPage: true });
  found = await violations(page);
  check(`${name}: axe finds nothing when all is unfolded`, found.length === 0, found.join("; "));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(`${name}: it does not scroll sideways`, wide <= width, `${wide} wide`);
  check(`${name}: no request, no message, no dialog`, wrong.length === 0, wrong.join("; "));
  await context.close();
}

const isOpen = (page, number) => page.locator(`#finding-${number} > details`).evaluate((one) => one.open);
const shown = (page) => page.locator(".finding:visible").count();
const focused = (page) => page.evaluate(() => document.activeElement.closest(".finding")?.id ?? document.activeElement.id);

async function mouse() {
  const { page, context, wrong } = await open("full", { permissions: ["clipboard-read", "clipboard-write"] });
  check("the first finding is unfolded, the second is not", await isOpen(page, 1) && !await isOpen(page, 2));
  await page.locator("#finding-2 summary").click();
  check("a click unfolds a finding", await isOpen(page, 2));
  await page.locator("#finding-2 summary").click();
  check("another folds it", !await isOpen(page, 2));

  await page.locator("[data-filter=class][data-value=regression]").click();
  check("a class filters", await shown(page) === 2);
  check("the number is said", await page.getByRole("status").textContent() === "2 of 8 findings are shown");
  await page.locator("[data-filter=kind][data-value=data]").click();
  check("a kind filters further", await shown(page) === 1);
  await page.evaluate(() => { location.hash = "#finding-5"; });
  await page.waitForTimeout(100);
  check("a link to a finding that is filtered out shows it", await isOpen(page, 5) && await shown(page) === 8);

  await page.locator("#search").fill("sigfpe EMPTY");
  check("the search takes all words in any case", await shown(page) === 1);
  await page.locator("#search").fill("nothing is like this");
  check("nothing found is said", await page.locator(".nothing").isVisible() && await shown(page) === 0);
  await page.locator(".nothing button").click();
  check("all can be shown again", await shown(page) === 8);

  check("the line for a shell comes first", (await page.locator("#finding-1 .command code").first().textContent()).startsWith("printf "));
  check("the command for both versions follows", (await page.locator("#finding-1 .command code").nth(1).textContent()).startsWith("umbra replay "));
  check("without a line for a shell there is one command", await page.locator("#finding-2 .command").count() === 1);
  await page.locator("#finding-1 .copy").first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  check("the command is copied", copied === await page.locator("#finding-1 .command code").first().textContent());
  check("the button says so", await page.locator("#finding-1 .copy").first().textContent() === "Copied");

  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await background();
  await page.locator(".theme").click();
  const after = await background();
  check("the button changes the theme", before !== after);
  await page.reload();
  check("the theme is kept", await background() === after);
  check("no request, no message, no dialog", wrong.length === 0, wrong.join("; "));
  await context.close();
}

async function keys() {
  const { page, context, wrong } = await open("full");
  const press = (key) => page.keyboard.press(key);
  await press("Tab");
  check("Tab goes to the link to the findings first", await page.evaluate(() => document.activeElement.className) === "skip");
  await press("j");
  check("j goes to the first finding", await focused(page) === "finding-1");
  await press("j");
  check("j goes to the next", await focused(page) === "finding-2");
  await press("Enter");
  check("Enter unfolds it", await isOpen(page, 2));
  await press("k");
  check("k goes back", await focused(page) === "finding-1");
  await press("e");
  check("e unfolds all", await isOpen(page, 6) && await isOpen(page, 8));
  await press("e");
  check("e folds all", !await isOpen(page, 1) && !await isOpen(page, 6));
  await press("/");
  check("/ goes to the search", await focused(page) === "search");
  await page.keyboard.type("jke64/t");
  check("keys are text there", await page.locator("#search").inputValue() === "jke64/t");
  await page.locator("#search").fill("64 bytes");
  await press("Enter");
  check("Enter goes to what was found", await focused(page) === "finding-5");
  await press("/");
  await press("Escape");
  check("Escape shows all again", await shown(page) === 8 && await focused(page) !== "search");
  await press("t");
  check("t changes the theme", await page.evaluate(() => document.documentElement.dataset.theme) === "dark");
  check("no request, no message, no dialog", wrong.length === 0, wrong.join("; "));
  await context.close();
}

async function paper() {
  const { page, context } = await open("full");
  await page.pdf();
  const folded = await page.locator("details:not([open])").count();
  check("on paper nothing is folded", folded === 0, `${folded} are`);
  if (pictures) await page.pdf({ path: path.join(pictures, "full.pdf"), format: "A4" });
  await context.close();
}

async function withoutScripts() {
  const { page, context, wrong } = await open("full", { javaScriptEnabled: false });
  check("without scripts all findings are there", await shown(page) === 8);
  check("without scripts nothing is there that needs one", await page.locator("[data-script]:visible").count() === 0);
  await page.locator("#finding-2 summary").click();
  check("without scripts findings unfold", await page.locator("#finding-2 .body").isVisible());
  check("without scripts: no request, no message", wrong.length === 0, wrong.join("; "));
  await context.close();
}

/** That the policy of the page lets nothing run that is not its own. */
async function policy() {
  const { page, context } = await open("full");
  const ends = [];
  page.on("requestfailed", (request) => ends.push(request.failure().errorText));
  page.on("requestfinished", (request) => ends.push(`loaded ${request.url()}`));
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.intruder = true";
    document.body.append(script);
    const image = new Image();
    image.src = "http://localhost/x.png";
    document.body.append(image);
    document.body.setAttribute("style", "display: none");
  });
  await page.waitForTimeout(100);
  const [ran, hidden] = await page.evaluate(() => [globalThis.intruder === true, getComputedStyle(document.body).display === "none"]);
  check("a script that gets into the page does not run", !ran);
  check("a style that gets into the page does nothing", !hidden);
  check("what gets into the page loads nothing", ends.length === 1 && ends[0] === "csp", ends.join("; "));
  await context.close();
}

try {
  for (const sample of SAMPLES) for (const theme of THEMES) for (const width of WIDTHS) await looks(sample, theme, width);
  await mouse();
  await keys();
  await paper();
  await withoutScripts();
  await policy();
} finally {
  await browser.close();
}
process.exitCode = failed ? 1 : 0;
