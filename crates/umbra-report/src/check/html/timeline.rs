//! When what was known: the stages, the findings, and the changed lines that had run by then.

use std::fmt::Write;

use crate::markup::Markup;
use crate::numbers::duration;
use crate::{CheckReport, Event};

/// The picture: its width, and where time begins and ends in it.
const WIDTH: f64 = 960.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 944.0;

/// Height of the part with the lines that ran.
const HEIGHT: f64 = 120.0;

/// Radius of a finding's mark, and the height of a row of them.
const RADIUS: f64 = 10.0;
const ROW: f64 = 24.0;

/// Rows of marks; more overlap.
const ROWS: usize = 5;

/// Findings that have a mark.
const MARKS: usize = 80;

/// Narrower stages have no name in the picture.
const NAMED: f64 = 52.0;

/// Seconds between ticks, of which the first that makes few enough is taken.
const STEPS: [f64; 16] = [
    0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 14400.0,
    43200.0, 86400.0,
];
const TICKS: f64 = 7.0;

/// Where seconds are in the picture.
struct Scale {
    end: f64,
}

impl Scale {
    fn x(&self, seconds: f64) -> f64 {
        // What is no number is at the start.
        let share = (seconds / self.end).clamp(0.0, 1.0);
        LEFT + if share.is_nan() { 0.0 } else { share } * (RIGHT - LEFT)
    }
}

/// A number in the picture.
fn at(value: f64) -> String {
    format!("{value:.1}")
}

impl CheckReport {
    pub(super) fn timeline_section(&self, page: &mut Markup) {
        page.put(
            "<section id=\"timeline\" aria-labelledby=\"timeline-title\">\n<h2 id=\"timeline-title\">Timeline</h2>\n",
            &[],
        );
        let last = self.events.iter().map(|event| event.seconds).fold(self.wall_s, f64::max);
        if self.events.is_empty() && self.stages.is_empty() || last <= 0.0 || !last.is_finite() {
            page.put("<p class=\"empty\">Nothing happened.</p>\n</section>\n", &[]);
            return;
        }
        page.put(
            "<p class=\"lead\">How many of the changed lines an input had run, and when each finding was known.</p>\n",
            &[],
        );
        self.picture(page, &Scale { end: last });
        page.put("<details class=\"events\"><summary>All events as a list</summary>\n<ol>\n", &[]);
        for event in &self.events {
            page.put("<li><time>{}</time> <span>{}", &[&duration(event.seconds), &event.text]);
            if let Some(number) =
                event.finding.filter(|number| (1..=self.findings.len()).contains(number))
            {
                page.put(" <a href=\"#finding-{}\">Finding {}</a>", &[&number, &number]);
            }
            page.put("</span></li>\n", &[]);
        }
        page.put("</ol>\n</details>\n</section>\n", &[]);
    }

    fn picture(&self, page: &mut Markup, scale: &Scale) {
        let marks = self.marks(scale);
        let rows = marks.iter().map(|mark| mark.row + 1).max().unwrap_or(0);
        let top = rows as f64 * ROW + 8.0;
        let base = top + HEIGHT;
        page.put(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Timeline\">\n\
             <svg class=\"timeline\" viewBox=\"0 0 {} {}\" role=\"group\" aria-label=\"Findings and changed lines that \
             were run, over time\">\n",
            &[&WIDTH, &at(base + 62.0)],
        );
        for (share, name) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
            let y = at(base - share * HEIGHT);
            page.put(
                "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
                &[&LEFT, &RIGHT, &y, &y],
            );
            page.put(
                "<text class=\"axis left\" x=\"{}\" y=\"{}\" dy=\"4\">{}</text>\n",
                &[&(LEFT - 8.0), &y, &name],
            );
        }
        if let Some((line, area)) = curve(&self.events, scale, base) {
            page.put(
                "<path class=\"area\" d=\"{}\"/><path class=\"curve\" d=\"{}\"/>\n",
                &[&area, &line],
            );
        }
        for mark in &marks {
            let y = top - 8.0 - mark.row as f64 * ROW - RADIUS;
            let class = self.findings[mark.number - 1].class.name();
            let name = format!(
                "Finding {}, known after {}",
                mark.number,
                duration(self.findings[mark.number - 1].seconds)
            );
            page.put(
                "<line class=\"stem tone-{}\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
                &[&class, &at(mark.x), &at(mark.x), &at(y), &at(base)],
            );
            page.put(
                "<a href=\"#finding-{}\" aria-label=\"{}\" class=\"tone-{}\">",
                &[&mark.number, &name, &class],
            );
            page.put(
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/><text x=\"{}\" y=\"{}\" dy=\"4\">{}</text></a>\n",
                &[&at(mark.x), &at(y), &RADIUS, &at(mark.x), &at(y), &mark.number],
            );
        }
        self.stage_bands(page, scale, base + 8.0);
        let step = STEPS.into_iter().find(|step| scale.end / step <= TICKS).unwrap_or(scale.end);
        for tick in 0..=(scale.end / step) as u32 {
            let seconds = f64::from(tick) * step;
            let x = at(scale.x(seconds));
            page.put(
                "<text class=\"axis\" x=\"{}\" y=\"{}\">{}</text>",
                &[&x, &at(base + 48.0), &tick_name(seconds, step)],
            );
        }
        page.put("\n</svg>\n</div>\n", &[]);
    }

    /// The stages one after the other.
    fn stage_bands(&self, page: &mut Markup, scale: &Scale, y: f64) {
        let mut seconds = 0.0;
        for (index, line) in self.stages.iter().enumerate() {
            let start = scale.x(seconds);
            seconds += line.seconds;
            let end = scale.x(seconds);
            let class = if index % 2 == 0 { "even" } else { "odd" };
            page.put(
                "<rect class=\"stage {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"22\"><title>{}, {}</title></rect>",
                &[
                    &class,
                    &at(start),
                    &at(y),
                    &at((end - start).max(0.5)),
                    &line.stage.name(),
                    &duration(line.seconds),
                ],
            );
            if end - start >= NAMED {
                page.put(
                    "<text class=\"stage-name\" x=\"{}\" y=\"{}\">{}</text>\n",
                    &[&at((start + end) / 2.0), &at(y + 15.0), &line.stage.name()],
                );
            }
        }
    }

    /// Where the marks of the findings are, such that they do not overlap as far as there are rows.
    fn marks(&self, scale: &Scale) -> Vec<Mark> {
        let mut order: Vec<(usize, f64)> =
            self.numbered().take(MARKS).map(|(number, f)| (number, scale.x(f.seconds))).collect();
        order.sort_by(|one, other| one.1.total_cmp(&other.1));
        let mut ends = [f64::MIN; ROWS];
        let place = |(number, x): (usize, f64)| {
            let free = ends.iter().position(|end| *end <= x - 2.0 * RADIUS - 2.0);
            let row = free.unwrap_or(ROWS - 1);
            ends[row] = x;
            Mark { number, x, row }
        };
        order.into_iter().map(place).collect()
    }
}

struct Mark {
    number: usize,
    x: f64,
    row: usize,
}

/// The share of changed lines that had run, as a line in steps and as the area below it.
fn curve(events: &[Event], scale: &Scale, base: f64) -> Option<(String, String)> {
    let mut line = format!("M{} {}", at(LEFT), at(base));
    let mut points = events.iter().filter(|event| event.lines > 0).peekable();
    points.peek()?;
    for event in points {
        let share = (event.lines_run as f64 / event.lines as f64).min(1.0);
        // Writing to a string cannot fail.
        let _ = write!(line, "H{}V{}", at(scale.x(event.seconds)), at(base - share * HEIGHT));
    }
    let _ = write!(line, "H{}", at(RIGHT));
    let area = format!("{line}V{}H{}Z", at(base), at(LEFT));
    Some((line, area))
}

/// "40 s", "5 min", "1 h 30".
fn tick_name(seconds: f64, step: f64) -> String {
    let whole = seconds.round() as u64;
    match (step, whole) {
        (step, _) if step < 1.0 => format!("{seconds:.1} s"),
        (_, 0..60) => format!("{whole} s"),
        (_, 60..3600) if whole.is_multiple_of(60) => format!("{} min", whole / 60),
        (_, 60..3600) => format!("{}:{:02} min", whole / 60, whole % 60),
        _ => format!("{}:{:02} h", whole / 3600, whole / 60 % 60),
    }
}
