// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/training/training_report.h"
#include "tests/matchers.h"
#include "tests/report/sample_reports.h"

namespace equinoise::html_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Reads one tag at `text` (after its <) with quoted attributes; returns its length up to and
/// including its >, or nothing if it is none.
std::optional<size_t> tag_length(std::string_view text, std::set<std::string>& ids) {
  size_t at = 0;
  const auto name = [&] {
    const size_t begin = at;
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-'))
      ++at;
    return std::string(text.substr(begin, at - begin));
  };
  if (text[at] == '/') ++at;
  if (name().empty()) return std::nullopt;
  while (at < text.size() && text[at] == ' ') {
    ++at;
    const std::string key = name();
    if (key.empty() || text.substr(at, 2) != "=\"") return std::nullopt;
    const size_t end = text.find('"', at + 2);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string value(text.substr(at + 2, end - at - 2));
    if (value.find('<') != std::string::npos) return std::nullopt;
    if (key == "id" && !ids.insert(value).second) return std::nullopt;
    at = end + 1;
  }
  if (text.substr(at, 2) == "/>") return at + 2;
  if (text.substr(at, 1) == ">") return at + 1;
  return std::nullopt;
}

/// "" if every tag is closed in order, attributes are quoted, ids are unique and no bare < or &
/// stands in the text; else what is wrong.
std::string what_is_malformed(const std::string& page) {
  const std::string doctype = "<!DOCTYPE html>\n";
  if (!page.starts_with(doctype)) return "no doctype";
  std::vector<std::string> open;
  std::set<std::string> ids;
  for (size_t at = doctype.size(); at < page.size(); ++at) {
    if (page[at] == '&') {
      const size_t end = page.find(';', at);
      if (end == std::string::npos || end - at > 7) return "a bare & in " + page.substr(at, 30);
    }
    if (page[at] != '<') continue;
    const std::string_view rest = std::string_view(page).substr(at + 1);
    const std::optional<size_t> length = tag_length(rest, ids);
    if (!length) return "not a tag: " + page.substr(at, 60);
    const std::string tag(rest.substr(0, *length));
    const std::string name = tag.substr(0, tag.find_first_of(" />", 1));
    if (tag.starts_with("/")) {
      if (open.empty() || "/" + open.back() != name) return "closes what is not open: " + tag;
      open.pop_back();
    } else if (name != "meta" && !tag.ends_with("/>")) {
      open.push_back(name);
      if (name == "style" || name == "script") {
        at = page.find("</" + name + ">", at) - 1;
        continue;
      }
    }
    at += *length;
  }
  return open.empty() ? "" : "still open: " + open.back();
}

size_t count(std::string_view text, std::string_view part) {
  size_t num = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++num;
  return num;
}

/// Well-formed, self-contained, without scripts, and without figures that are none.
void expect_sound(const std::string& page) {
  EXPECT_EQ(what_is_malformed(page), "");
  EXPECT_EQ(count(page, "<script"), 0);
  for (const char* word : {"http:", "https:", "<link", "<img", "<iframe", "src=", "href=", "url(",
                           "@import", " onload="})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  for (const char* word : {"nan%", "inf%", "\"nan", "\"-nan", ">nan", "-nan", ">inf", "[inf"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
}

TEST(Html, TheCheckOfTheTestSeesWhatIsMalformed) {
  const std::string doctype = "<!DOCTYPE html>\n";
  EXPECT_EQ(what_is_malformed(doctype + "<p class=\"a\">x &amp; y<meta charset=\"utf-8\"></p>"),
            "");
  EXPECT_NE(what_is_malformed(doctype + "<p><b></p></b>"), "");
  EXPECT_NE(what_is_malformed(doctype + "<p>"), "");
  EXPECT_NE(what_is_malformed(doctype + "<p>a < b</p>"), "");
  EXPECT_NE(what_is_malformed(doctype + "<p>a & b</p>"), "");
  EXPECT_NE(what_is_malformed(doctype + "<p class=a>b</p>"), "");
  EXPECT_NE(what_is_malformed(doctype + "<p id=\"a\"></p><p id=\"a\"></p>"), "");
}

TEST(Html, ThePageTellsItsStoryInOrder) {
  const std::string page = to_page(training_document(sample_report()));
  expect_sound(page);
  size_t last = 0;
  for (const char* text :
       {"Contains non-private statistics: do not publish.", "In short", "Who pays", "Guarantee",
        "What was done", "All figures", "Training curve", "Ledger", "Settings", "Reading the table",
        "How to repeat it"}) {
    const size_t place = page.find(text);
    ASSERT_NE(place, std::string::npos) << text;
    EXPECT_GT(place, last) << text;
    last = place;
  }
}

TEST(Html, FiguresAreThoseOfTheReport) {
  const std::string page = to_page(training_document(sample_report()));
  for (const char* text :
       {"dpsgd [AbadiCGMMTZ2016] trained this logistic model on the dataset people to predict "
        "income (low or high). Its figures are of the 25 % of the records that were held out.",
        "<dt>epsilon</dt><dd>3</dd>",
        "exp(epsilon) = 20.1",
        "times as likely with one of the two tables as with the other",
        "<li>7.5 [-2.0, 17.0]</li>",
        "<li class=\"total\">2.5 [-1.0, 6.0]</li>",
        "62.5 <span class=\"interval\">[40.0, 80.0]</span>",
        "0.500 <span class=\"interval\">[0.300, 0.700]</span>",
        "<td>70.0</td>",
        "<td>2,308</td>",
        "<td>0.0607</td>",
        "Last held-out loss, released: 0.310 after 3,000 steps.",
        "spent before: 0.5",
        "added by this run: 2.75",
        "left: 4.75",
        "3000 x Gaussian, noise multiplier 1.5",
        "2026-11-21T11:29:09Z",
        "missing cells: age 3",
        "<pre>equinoise train --groups sex,race</pre>",
        "accuracy lost to privacy, percentage points",
        "Equinoise 0.1.0."}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
}

TEST(Html, BarsStandWhereTheirFiguresAre) {
  TrainingReport report = sample_report();
  report.groups.resize(1);
  report.groups[0].cost->accuracy = {0.05, {0, 0.1}};
  report.overall.cost->accuracy = {0.025, {0.01, 0.06}};
  const std::string page = to_page(training_document(report));
  // From 0 to 10 points with a margin of 2 %: 5 stands in the middle, 0 at 0.02 / 1.04.
  EXPECT_THAT(page, HasSubstr(R"(<circle class="dot" cx="50.000%")"));
  EXPECT_THAT(page,
              HasSubstr(R"(<line class="bar" x1="1.923%" y1="45.00" x2="98.077%" y2="45.00"/>)"));
  EXPECT_THAT(page, HasSubstr(R"(<line class="zero" x1="1.923%")"));
}

TEST(Html, EverySectionSaysWhetherItMayBePublished) {
  for (const std::string& page :
       {to_page(training_document(sample_report())), to_page(audit_document(sample_audit()))}) {
    size_t num_sections = 0;
    for (size_t at = page.find("<section>"); at != std::string::npos;
         at = page.find("<section>", at + 1)) {
      const std::string heading = page.substr(at, page.find("</h2>", at) - at);
      EXPECT_TRUE(heading.find(">not private<") != std::string::npos ||
                  heading.find(">publishable<") != std::string::npos)
          << heading;
      // What comes from records stands in fenced sections only.
      if (heading.find(">publishable<") != std::string::npos) {
        const std::string section = page.substr(at, page.find("</section>", at) - at);
        for (const char* figure : {"62.5", "87.5", "0.310", "missing cells: age 3", "1.25 s"})
          EXPECT_EQ(section.find(figure), std::string::npos) << heading;
      }
      ++num_sections;
    }
    EXPECT_GE(num_sections, 5U);
  }
}

TEST(Html, TablesAndDrawingsAreAccessible) {
  const std::string page = to_page(training_document(sample_report()));
  EXPECT_THAT(page, HasSubstr("<html lang=\"en\">"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\" class=\"words\">sex, race</th>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\" class=\"words\">Female, Black</th>"));
  EXPECT_THAT(page, HasSubstr("<caption>Groups by sex, race</caption>"));
  EXPECT_THAT(page, HasSubstr("aria-labelledby=\"groups-1-title groups-1-description\""));
  EXPECT_THAT(page, HasSubstr("@media print"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
}

TEST(Html, PaperTearsNoChartAndNoHeadOfATable) {
  const std::string page = to_page(audit_document(sample_audit()));
  const std::string print = page.substr(page.rfind("@media print"));
  EXPECT_THAT(print, HasSubstr("figure, .keys, pre, .banner, .warnings, .sides { break-inside"));
  EXPECT_THAT(print, HasSubstr("tbody tr:first-child { break-before: avoid; }"));
  // Charts of more than 22 and 40 groups: their lists have two rows more.
  EXPECT_THAT(print, HasSubstr(".rows:has(li:nth-child(25)) { zoom: 0.62; }"));
  EXPECT_THAT(print, HasSubstr(".rows:has(li:nth-child(43)) { zoom: 0.43; }"));
}

TEST(Html, WithoutAReferenceItShowsAccuracyAndSaysHowToSeeTheCost) {
  TrainingReport report = sample_report();
  report.overall.reference.reset();
  report.overall.cost.reset();
  report.reference_curve.clear();
  for (GroupReport& group : report.groups) {
    group.reference.reset();
    group.cost.reset();
  }
  const std::string page = to_page(training_document(report));
  expect_sound(page);
  EXPECT_THAT(page, HasSubstr("With --reference this page shows"));
  EXPECT_THAT(page, HasSubstr("accuracy on held-out records, percent"));
  EXPECT_THAT(page, Not(HasSubstr("lost to privacy, p")));
}

TEST(Html, WhatIsLostWithoutPrivacyIsNotLostToIt) {
  for (TrainingReport report : {sample_report(), sample_regression()}) {
    report.privacy.reset();
    const std::string page = to_page(training_document(report));
    EXPECT_THAT(page, HasSubstr(report.classes.empty() ? "mean loss above the reference"
                                                       : "accuracy below the reference, perc"));
    EXPECT_THAT(page, Not(HasSubstr("lost to privacy, p")));
    EXPECT_THAT(page, Not(HasSubstr("added by privacy")));
  }
}

TEST(Html, ANumericTargetShowsTheLossAdded) {
  const std::string page = to_page(training_document(sample_regression()));
  expect_sound(page);
  EXPECT_THAT(page, HasSubstr("to predict grade (a number)"));
  EXPECT_THAT(page, HasSubstr("mean loss added by privacy"));
  EXPECT_THAT(page, HasSubstr("<li>0.0500 [0.0100, 0.0900]</li>"));
  EXPECT_THAT(page, HasSubstr("2.50 <span class=\"interval\">[2.25, 2.75]</span>"));
  EXPECT_THAT(page, Not(HasSubstr("accuracy %")));
}

TEST(Html, OfManyGroupsTheChartShowsThoseThatPayMost) {
  TrainingReport report = sample_report();
  const GroupReport pattern = report.groups[0];
  report.groups.clear();
  for (int i = 0; i < 100; ++i) {
    GroupReport group = pattern;
    group.group = {{"ward", "ward " + std::to_string(i) + "."}};
    const double cost = (i * 37 % 100) / 1000.0;  // each of 0 to 0.099 once
    group.cost->accuracy = {cost, {cost - 0.01, cost + 0.01}};
    if (i == 0) group.cost = Cost();
    report.groups.push_back(group);
  }
  const std::string page = to_page(training_document(report));
  expect_sound(page);
  EXPECT_THAT(
      page,
      HasSubstr(
          "Of 100 groups, only the 60 with the largest cost are drawn; the table lists all."));
  const std::string chart =
      page.substr(page.find("<figure"), page.find("</figure>") - page.find("<figure"));
  size_t shown = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string name = ">ward " + std::to_string(i) + ".<";
    const bool in_chart = chart.find(name) != std::string::npos;
    EXPECT_EQ(in_chart, i != 0 && i * 37 % 100 >= 40) << i;
    EXPECT_THAT(page.substr(page.find("All figures")), HasSubstr(name));
    shown += in_chart ? 1 : 0;
  }
  EXPECT_EQ(shown, 60U);
  EXPECT_LT(chart.find(">ward 2.<"), chart.find(">ward 7.<"));  // in the order of the report
}

TEST(Html, NamesCannotBreakThePage) {
  TrainingReport report = sample_report();
  const std::string bad = "</td><script>alert('x')</script>&\" onload=\"x\xFF";
  report.dataset = report.target = report.method = report.command = report.unit.name = bad;
  report.classes = {bad, bad};
  report.warnings = report.ingest_notes = report.files = {bad};
  report.groups[0].group = {{bad, bad + std::string(5000, 'w')}, {"race", bad}};
  report.settings = {{bad, 1}};
  report.costs = {{bad, Event::gaussian(1)}};
  report.ledger->path = report.ledger->dataset = bad;
  report.ledger_entries[0].purpose = bad;
  const std::string page = to_page(training_document(report));
  EXPECT_EQ(what_is_malformed(page), "");
  EXPECT_EQ(count(page, "<script"), 0);
  EXPECT_EQ(count(page, "\" onload"), 0);
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"));

  AuditReport audit = sample_audit();
  audit.groupings[0].columns = {bad};
  audit.groupings[0].groups[0] = {{bad, bad}};
  audit.thresholds[0].columns = {bad};
  audit.dataset = audit.model_path = audit.data_path = audit.command = audit.classes[1] = bad;
  audit.reference_path = bad;
  EXPECT_EQ(what_is_malformed(to_page(audit_document(audit))), "");
  EXPECT_EQ(count(to_page(audit_document(audit)), "<script"), 0);
}

TEST(Html, NoScriptMayRunAndNothingIsLoaded) {
  const std::string page = to_page(training_document(sample_report()));
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'; "
                              "base-uri 'none'; form-action 'none'\""));
  EXPECT_LT(page.find("Content-Security-Policy"), page.find("<title>"));
}

TEST(Html, DegenerateReportsAreStillPages) {
  std::vector<TrainingReport> reports(1);  // an empty one first
  const auto add = [&](auto change) {
    reports.push_back(sample_report());
    change(reports.back());
  };
  add([](TrainingReport& r) { r.groups.clear(); });
  add([](TrainingReport& r) { r.ledger.reset(), r.ledger_entries.clear(), r.costs.clear(); });
  add([](TrainingReport& r) { r.privacy.reset(), r.status = PrivacyStatus::kInsecureRng; });
  add([](TrainingReport& r) { r.schema_reviewed = false, r.status = PrivacyStatus::kNotPrivate; });
  add([](TrainingReport& r) { r.curve.resize(1), r.reference_curve.clear(); });
  add([](TrainingReport& r) { r.curve = {{0, std::nan("")}, {1, kInfinity}, {2, -kInfinity}}; });
  add([](TrainingReport& r) { r.curve = {{1, 0.5}, {2, 0.5}}, r.reference_curve = r.curve; });
  add([](TrainingReport& r) { r.overall = r.groups[1]; });
  add([](TrainingReport& r) { r.overall.cost->accuracy = {0, {-kInfinity, kInfinity}}; });
  add([](TrainingReport& r) {
    r.groups[0].metrics->loss = {1e300, {-1e308, 1e308}};
    r.overall.cost->accuracy = {1e300, {std::nan(""), std::nan("")}};
    r.curve = {{1, -1e308}, {std::numeric_limits<int64_t>::max(), 1e308}};
  });
  add([](TrainingReport& r) {
    r.groups[0].cost->accuracy = {0, {0, 0}}, r.groups.resize(1),
    r.overall.cost->accuracy = {0, {0, 0}};
  });
  add([](TrainingReport& r) { r.privacy->epsilon = Epsilon(5000); });
  add([](TrainingReport& r) {
    r.ledger->budget.epsilon = r.ledger->spent_before.epsilon = r.ledger->spent_after.epsilon =
        Epsilon(0);
  });
  for (const TrainingReport& report : reports) expect_sound(to_page(training_document(report)));

  TrainingReport many_entries = sample_report();
  many_entries.num_earlier_entries = 148;
  EXPECT_THAT(to_page(training_document(many_entries)), HasSubstr("The last 2 of 150 entries"));

  AuditReport audit = sample_audit();
  audit.groupings[0].figures[0].metrics = Metrics();
  for (AuditedRecords& group : audit.groupings[0].figures) group.cost.reset();
  expect_sound(to_page(audit_document(audit)));
  audit.groupings.clear();
  expect_sound(to_page(audit_document(audit)));
  expect_sound(to_page(audit_document(AuditReport())));
}

TEST(Html, WarningsForTheOwnerAreOnNoPageThatMayBePublished) {
  Document document;
  document.owner_warnings = {"the ledger keeps its account at another delta"};
  document.section("Figures", Fence::kPublishable, Form::kPage | Form::kCard)
      .add(Paragraph{"A figure."});
  const auto has_it = HasSubstr("the ledger keeps");
  EXPECT_THAT(to_page(document), Not(has_it));
  EXPECT_THAT(to_screen(document), has_it);
  document.section("Records", Fence::kNotPrivate, Form::kPage).add(Paragraph{"An exact figure."});
  EXPECT_THAT(to_page(document), has_it);
  EXPECT_THAT(to_card(document), Not(has_it));
}

TEST(Html, ARunWithoutAGuaranteeSaysSoAtTheTop) {
  TrainingReport report = sample_report();
  report.privacy.reset();
  report.status = PrivacyStatus::kInsecureRng;
  report.warnings = {"the ledger keeps its account at another delta"};
  const std::string page = to_page(training_document(report));
  const size_t story = page.find("What was done");
  EXPECT_LT(page.find("NOT PRIVATE: made with a reproducible random source"), story);
  EXPECT_LT(page.find("Warning: the ledger keeps"), story);
  EXPECT_THAT(page, HasSubstr("There is no privacy guarantee."));
  EXPECT_THAT(page, Not(HasSubstr("carry the guarantee")));
}

TEST(Html, TheAuditShowsEachMetricDifferencesAndLimits) {
  const std::string page = to_page(audit_document(sample_audit()));
  expect_sound(page);
  for (const char* text : {"Audit: dpsgd on people", "A limit FAILS: accuracy by sex, race",
                           "measured on the held-out records of people.csv", "Positive class: high",
                           "Accuracy below the reference by sex, race", "Accuracy by sex, race",
                           "Selection rate by sex, race", "True positive rate by sex, race",
                           "False positive rate by sex, race", "<li>96.0 [90.0, 99.0]</li>",
                           "<li>50.0 [25.0, 75.0]</li>", "<td class=\"words\">FAILS</td>",
                           "33.5 <span class=\"interval\">[15.0, 56.0]</span>", "<td>0.651</td>",
                           "<pre>equinoise audit --model model --data people.csv</pre>"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
}

/// An audit shows the guarantee of a model, and whether it holds as a whole.
TEST(Html, AnAuditDoesNotVouchForAModelWithoutAGuarantee) {
  AuditReport audit = sample_audit();
  audit.privacy = sample_guarantee();
  audit.status = PrivacyStatus::kPrivate;
  EXPECT_THAT(to_page(audit_document(audit)), HasSubstr("The model itself carries this guarantee"));
  audit.status = PrivacyStatus::kNotPrivate;
  EXPECT_THAT(to_page(audit_document(audit)),
              AllOf(HasSubstr("The noise in the model by itself would give this guarantee"),
                    Not(HasSubstr("carries this guarantee"))));
}

}  // namespace equinoise::html_test
