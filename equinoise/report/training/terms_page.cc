// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/terms_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/format.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/heat_map.h"

namespace equinoise {

namespace {

constexpr size_t kMaxDrawn = 6;
constexpr size_t kMaxOnScreen = 3;
constexpr size_t kMaxCategories = 20;

/// The decimals that show three digits of the term's largest contribution.
int decimals_of(const TermReport& term) {
  double largest = 0;
  for (const TermPart& part : term.parts) {
    for (const auto* added : {&part.contributions, &part.at_start, &part.at_end})
      for (const double one : *added) largest = std::max(largest, std::fabs(one));
  }
  constexpr int kMaxDecimals = 12;
  return largest > 0
             ? std::clamp(2 - static_cast<int>(std::floor(std::log10(largest))), 0, kMaxDecimals)
             : 2;
}

/// "+0.352", "-1,204"
std::string signed_text(double contribution, int decimals) {
  return (contribution > 0 ? "+" : "") + format_fixed(contribution, decimals);
}

std::string words_of(const TermPart& part) {
  return fmt::format("{}", fmt::join(part.values, ", "));
}

std::string words_of(const TermReport& term) {
  return fmt::format("{}", fmt::join(term.columns, " and "));
}

/// The score that contributions are added to, of models with one score.
std::string score_in_words(const TrainingReport& report) {
  return report.classes.empty()
             ? fmt::format("the predicted {}", report.target)
             : fmt::format("the log odds of {} = {}", report.target, report.classes.back());
}

/// "Larger values of age, hours never lower it."; "": none are monotone.
std::string monotone_in_words(const TrainingReport& report) {
  std::string text;
  for (const auto& [monotone, verb] : {std::pair("increasing", "lower"), {"decreasing", "raise"}}) {
    std::vector<std::string> columns;
    for (const TermReport& term : report.terms)
      if (term.monotone == monotone) columns.push_back(term.columns.front());
    if (!columns.empty())
      text += fmt::format(" Larger values of {} never {} {}.", fmt::join(columns, ", "), verb,
                          score_in_words(report));
  }
  return text;
}

/// Instructions to read terms, in two sentences, and one more about pairs and monotone columns.
std::string how_to_read(const TrainingReport& report) {
  std::string what;
  if (report.classes.size() > 2) {
    what =
        "Each value of a column adds its contribution to the score of each class, compared with "
        "the mean record; the class with the largest score is predicted.";
  } else if (report.classes.empty()) {
    what = fmt::format(
        "Each value of a column adds its contribution to {}, in its units and compared with the "
        "mean record.",
        score_in_words(report));
  } else {
    what = fmt::format(
        "Each value of a column adds its contribution to {}, compared with the mean record: +0.7 "
        "doubles the odds, -0.7 halves them.",
        score_in_words(report));
  }
  const bool has_pairs = std::ranges::any_of(
      report.terms, [](const TermReport& term) { return term.columns.size() > 1; });
  if (has_pairs)
    what +=
        " Means and shares of a pair treat its columns as independent: some combinations may not "
        "occur.";
  const bool has_numbers = std::ranges::any_of(report.terms, [](const TermReport& term) {
    return !term.parts.empty() && term.parts[0].from.has_value();
  });
  if (has_numbers)
    what +=
        " Shares are spread evenly over the numbers of a bin of the histogram: one of them may be "
        "more common.";
  return what + monotone_in_words(report) +
         (report.status != PrivacyStatus::kNotPrivate
              ? " Contributions and shares, by the released histogram, hold noise, most of it "
                "where shares are small: a small step may be chance. A share that noise hides is "
                "shown as large as the noise, so that there may be no record behind it."
              : " Shares are those of the training records.");
}

/// A place of a term and what it adds there to a score.
struct TermPlace {
  std::string name;
  double contribution = 0;
  double share = 0;  ///< of records
};

/// All places where a score's contribution can be the largest or smallest.
std::vector<TermPlace> places_of(const TermReport& term, size_t score) {
  std::vector<TermPlace> places;
  for (const TermPart& part : term.parts) {
    if (part.at_start.empty()) {
      places.push_back({words_of(part), part.contributions[score], part.share});
    } else {
      places.push_back({"start of " + words_of(part), part.at_start[score], part.share});
      places.push_back({"end of " + words_of(part), part.at_end[score], part.share});
    }
  }
  return places;
}

/// The largest terms, at most so many, with the places of each score; a screen has the largest of
/// all classes only.
TextTable terms_table(const TrainingReport& report, size_t max_rows, bool is_screen) {
  const size_t num_rows = std::min(max_rows, report.terms.size());
  TextTable table{"Contributions by size, averaged over records", {"column"}};
  if (num_rows < report.terms.size())
    table.caption += fmt::format(": the largest {} of {}", num_rows, report.terms.size());
  const size_t num_classes = report.classes.size();
  const bool has_largest = is_screen && num_classes > 2;
  if (has_largest) {
    table.head.insert(table.head.end(), {"largest", "for"});
  } else if (num_classes > 2) {
    for (const std::string& name : report.classes) table.head.push_back("most for " + name);
  } else {
    table.head.insert(table.head.end(), {"lowest", "highest"});
  }
  table.num_left = table.head.size();
  table.head.emplace_back("mean size");
  for (size_t t = 0; t < num_rows; ++t) {
    const TermReport& term = report.terms[t];
    std::vector<std::string>& row = table.rows.emplace_back(std::vector{words_of(term)});
    const int decimals = decimals_of(term);
    const auto add = [&](const TermPlace& place) {
      constexpr double kRare = 0.01;
      row.push_back(fmt::format(
          "{} ({}{})", place.name, signed_text(place.contribution, decimals),
          place.share < kRare ? fmt::format(", {} % of all", format_percent(place.share)) : ""));
    };
    const auto is_less = [](const TermPlace& a, const TermPlace& b) {
      return a.contribution < b.contribution;
    };
    std::vector<TermPlace> largest;  // of each score
    for (size_t score = 0; score < (num_classes > 2 ? num_classes : 1); ++score) {
      const std::vector<TermPlace> places = places_of(term, score);
      const auto [least, most] = std::minmax_element(places.begin(), places.end(), is_less);
      if (num_classes <= 2) add(*least);
      largest.push_back(*most);
    }
    if (has_largest) {
      const auto most = std::max_element(largest.begin(), largest.end(), is_less);
      add(*most);
      row.push_back(report.classes[static_cast<size_t>(most - largest.begin())]);
    } else {
      for (const TermPlace& place : largest) add(place);
    }
    row.push_back(format_amount(term.mean_size));
  }
  return table;
}

std::string curve_of(const TermReport& term, const std::string& id, const std::string& unit) {
  CurveChart chart{
      id,
      words_of(term),
      fmt::format("What {} adds to {}; below it the share of records in each interval. "
                  "The table gives the lowest and the highest value.",
                  words_of(term), unit),
      fmt::format("upwards: added to {}; grey areas: share of records", unit),
      {}};
  const int decimals = decimals_of(term);
  for (const TermPart& part : term.parts) {
    const bool is_flat = part.at_start.empty();
    const double start = (is_flat ? part.contributions : part.at_start)[0];
    const double end = (is_flat ? part.contributions : part.at_end)[0];
    chart.parts.push_back({words_of(part), *part.from, *part.to, start, end, part.share,
                           is_flat ? signed_text(start, decimals)
                                   : fmt::format("{} to {}", signed_text(start, decimals),
                                                 signed_text(end, decimals))});
  }
  return curve_chart(chart);
}

/// The categories from the largest contribution to the smallest.
std::string categories_of(const TermReport& term, const std::string& id, const std::string& unit) {
  std::vector<const TermPart*> parts;
  for (const TermPart& part : term.parts) parts.push_back(&part);
  const auto weight = [](const TermPart* part) {
    return part->share * std::fabs(part->contributions[0]);
  };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](auto* a, auto* b) { return weight(a) > weight(b); });
  std::string title = words_of(term);
  if (parts.size() > kMaxCategories) {
    title += fmt::format(": {} of {} values, those that count most for all records together",
                         kMaxCategories, parts.size());
    parts.resize(kMaxCategories);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](auto* a, auto* b) { return a->contributions[0] > b->contributions[0]; });
  DotChart chart{.id = id,
                 .title = std::move(title),
                 .metric = "",
                 .axis_label = "added to " + unit,
                 .name_head = "value",
                 .size_head = "share of records",
                 .has_total = false,
                 .compares_with_zero = true};
  const int decimals = decimals_of(term);
  for (const TermPart* part : parts) {
    const double added = part->contributions[0];
    chart.rows.push_back({words_of(*part),
                          format_percent(part->share) + " %",
                          {.value = added, .interval = {kNoFigure, kNoFigure}},
                          kNoFigure,
                          signed_text(added, decimals)});
  }
  return dot_chart(std::move(chart), {}, "");
}

/// A pair, with the parts of its first column as rows.
std::string pair_of(const TermReport& term, const std::string&, const std::string& unit) {
  HeatMap map{.title = fmt::format("{} (rows by columns): added to {} by both together",
                                   words_of(term), unit),
              .largest = 0,
              .decimals = decimals_of(term)};
  for (const TermPart& part : term.parts) {
    if (map.names.empty() || map.names.back() != part.values[0]) {
      map.names.push_back(part.values[0]);
      map.values.emplace_back();
    }
    if (map.names.size() == 1) map.columns.push_back(part.values[1]);
    map.values.back().push_back(part.contributions[0]);
    map.largest = std::max(map.largest, std::fabs(part.contributions[0]));
  }
  return heat_map(map);
}

}  // namespace

void add_terms(const TrainingReport& report, Fence fence, Document& document) {
  if (report.terms.empty()) return;
  const std::string heading = "What each column adds";
  Section& section = document.section(heading, fence, Form::kPage | Form::kCard);
  section.add(Paragraph{how_to_read(report)});
  for (size_t t = 0; t < std::min(kMaxDrawn, report.terms.size()); ++t) {
    const TermReport& term = report.terms[t];
    if (report.classes.size() > 2 || !(term.mean_size > 0) || term.parts.empty()) break;
    const auto draw = term.columns.size() > 1   ? pair_of
                      : term.parts.front().from ? curve_of
                                                : categories_of;
    section.add(Picture{draw(term, fmt::format("term-{}", t + 1), score_in_words(report))});
  }
  section.add(terms_table(report, report.terms.size(), false));
  document.section(heading, fence, Form::kScreen).add(terms_table(report, kMaxOnScreen, true));
}

}  // namespace equinoise
