//! What the versions cost, the programs and the stages, and the end of the page.

use crate::markup::Markup;
use crate::numbers::{count, counted, duration};
use crate::{CheckReport, EffectLine, StageEnd};

impl CheckReport {
    pub(super) fn effects_section(&self, page: &mut Markup) {
        page.put(
            "<section id=\"effects\" aria-labelledby=\"effects-title\">\n\
             <h2 id=\"effects-title\">What the tests cost</h2>\n",
            &[],
        );
        if self.effects.is_empty() {
            page.put("<p class=\"empty\">Both versions cost about the same, or no tests ran.</p>\n</section>\n", &[]);
            return;
        }
        page.put("<p class=\"lead\">Side effects of the patch, over all tests of the suite.</p>\n\
             <ul class=\"legend\"><li><i class=\"old\"></i>old version</li><li><i class=\"new\"></i>new version</li></ul>\n<ul class=\"effects\">\n", &[]);
        self.effects.iter().for_each(|effect| effect_line(page, effect));
        page.put("</ul>\n</section>\n", &[]);
    }

    pub(super) fn programs_section(&self, page: &mut Markup) {
        page.put(
            "<section id=\"programs\" aria-labelledby=\"programs-title\">\n\
             <h2 id=\"programs-title\">How it was checked</h2>\n",
            &[],
        );
        self.stages_table(page);
        self.programs_table(page);
        page.put("</section>\n", &[]);
    }

    fn stages_table(&self, page: &mut Markup) {
        if self.stages.is_empty() {
            page.put("<p class=\"empty\">No stage was begun.</p>\n", &[]);
            return;
        }
        page.put(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Stages\"><table class=\"list\">\
             <thead><tr><th scope=\"col\">stage</th><th scope=\"col\">end</th><th scope=\"col\">what it came to</th>\
             <th scope=\"col\" class=\"number\">time</th></tr></thead><tbody>\n",
            &[],
        );
        for line in &self.stages {
            let (end, tone) = match line.end {
                StageEnd::Done => ("done", "calm"),
                StageEnd::Reused => ("reused", "calm"),
                StageEnd::Skipped => ("skipped", "gap"),
                StageEnd::Failed => ("failed", "found"),
                StageEnd::Interrupted => ("interrupted", "gap"),
            };
            page.put(
                "<tr><th scope=\"row\">{}</th><td class=\"{}\">{}</td><td>{}</td><td class=\"number\">{}</td></tr>\n",
                &[&line.stage.name(), &tone, &end, &line.found, &duration(line.seconds)],
            );
        }
        page.put("</tbody></table></div>\n", &[]);
    }

    fn programs_table(&self, page: &mut Markup) {
        if self.programs.is_empty() {
            return;
        }
        page.put(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Programs\"><table class=\"list\">\
             <thead><tr><th scope=\"col\">program</th><th scope=\"col\">what became of it</th>\
             <th scope=\"col\" class=\"number\">tests</th><th scope=\"col\" class=\"number\">run the patch</th>\
             <th scope=\"col\" class=\"number\">paths alike</th><th scope=\"col\" class=\"number\">different</th>\
             <th scope=\"col\" class=\"number\">cut</th><th scope=\"col\" class=\"number\">instructions</th></tr></thead><tbody>\n",
            &[],
        );
        for program in &self.programs {
            page.put(
                "<tr><th scope=\"row\"><code>{}</code></th><td>{}",
                &[&program.path, &program.outcome],
            );
            for (what, times) in &program.left_out {
                page.put("<br><small>left out: {} ({})</small>", &[what, &count(*times)]);
            }
            page.put("</td>", &[]);
            for number in [
                program.tests,
                program.touching,
                program.same,
                program.diff,
                program.cut,
                program.instructions,
            ] {
                page.put("<td class=\"number\">{}</td>", &[&count(number)]);
            }
            page.put("</tr>\n", &[]);
        }
        page.put("</tbody></table></div>\n", &[]);
    }

    pub(super) fn foot(&self, page: &mut Markup) {
        page.put("<footer><p>Checked in {}", &[&duration(self.wall_s)]);
        if self.cpu_s > 0.0 {
            page.put(", {} of processor time", &[&duration(self.cpu_s)]);
        }
        if self.instructions > 0 {
            page.put(", {}", &[&counted(self.instructions, "instruction")]);
        }
        if self.peak_mib > 0.0 {
            page.put(", {} MiB at most", &[&count(self.peak_mib.round() as u64)]);
        }
        page.put(".", &[]);
        if !self.folder.is_empty() {
            page.put(" Results are in <code>{}</code>.", &[&self.folder]);
        }
        page.put("</p></footer>\n", &[]);
    }
}

/// Both versions as bars below each other, on one scale.
fn effect_line(page: &mut Markup, effect: &EffectLine) {
    let class = match (effect.is_notable(), effect.new > effect.old) {
        (false, _) => "small",
        (true, true) => "more",
        (true, false) => "less",
    };
    page.put(
        "<li class=\"{}\"><h3>{}</h3><p>{}</p>\n",
        &[&class, &effect.what, &effect.values(effect.old, effect.new)],
    );
    let most = effect.old.max(effect.new).max(f64::MIN_POSITIVE);
    let width = |value: f64| format!("{:.1}", (value / most * 1000.0).clamp(0.0, 1000.0));
    page.put(
        "<svg viewBox=\"0 0 1000 22\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"old\" x=\"0\" y=\"0\" width=\"{}\" height=\"9\"/>\
         <rect class=\"new\" x=\"0\" y=\"12\" width=\"{}\" height=\"9\"/></svg>\n",
        &[&width(effect.old), &width(effect.new)],
    );
    if let (Some(test), Some((old, new))) = (&effect.worst, effect.worst_values) {
        page.put(
            "<p class=\"worst\">worst in <code>{}</code>: {}</p>\n",
            &[test, &effect.values(old, new)],
        );
    }
    page.put("</li>\n", &[]);
}
