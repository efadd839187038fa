// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/html_page.h"

#include <fmt/format.h>

#include "equinoise/report/format.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/markup.h"
#include "equinoise/report/protection.h"

namespace equinoise {

namespace {

// Colours have a contrast of at least 4.5 to 1 with their background, in both schemes. The height
// of rows is that of chart.cc. A printed chart of many rows is scaled to fit one page, because a
// page break would separate its drawing from its names.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1c1e; --quiet: #5b5e63; --rule: #c9ccd1; --grid: #e7e9ec;
  --first: #1c5d99; --second: #954600; --third: #55702b; --fenced: #fdf6ee; --open: #f0f5fa; --spent: #5b5e63; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #17191c; --ink: #e6e6e4; --quiet: #a6a9ae; --rule: #44484d; --grid: #2c3034;
  --first: #86bcec; --second: #eaa764; --third: #a9c77a; --fenced: #272019; --open: #1a232d; --spent: #a6a9ae; } }
@media print { :root { color-scheme: light;
  --paper: #ffffff; --ink: #000000; --quiet: #4a4c50; --rule: #b0b3b8; --grid: #e0e2e5;
  --first: #1c5d99; --second: #954600; --third: #55702b; --fenced: #ffffff; --open: #ffffff; --spent: #4a4c50; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 960px; padding: 24px 20px 48px; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue",
  Arial, sans-serif; overflow-wrap: anywhere; text-size-adjust: 100%; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 16px; font-weight: 600; }
h2 { font-size: 20px; line-height: 1.3; margin: 0 0 12px; font-weight: 600; }
h3 { font-size: 16px; margin: 20px 0 8px; font-weight: 600; }
p { margin: 0 0 12px; max-width: 46em; }
section { margin: 36px 0 0; padding-top: 16px; border-top: 1px solid var(--rule); }
.fence { display: inline-block; margin-left: 10px; padding: 0 7px; border: 1px solid; font-size: 12px;
  line-height: 18px; font-weight: 600; vertical-align: 3px; white-space: nowrap; }
.fence.closed { color: var(--second); border-style: dashed; }
.fence.open { color: var(--first); }
.banner, .warnings { padding: 10px 14px; margin: 0 0 16px; border: 1px solid var(--second);
  border-left-width: 6px; background: var(--fenced); }
.banner p, .warnings ul { margin: 0; max-width: none; }
.warnings { border-color: var(--ink); background: none; }
ul { padding-left: 20px; margin: 0 0 12px; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; margin: 16px 0 0; }
.sides > div { padding: 12px 14px; border: 1px solid var(--first); background: var(--open); }
.sides > div.closed { border: 1px dashed var(--second); background: var(--fenced); }
.sides h3 { margin: 0 0 6px; }
.sides ul { margin: 0; font-size: 14px; }
.guarantee { display: flex; flex-wrap: wrap; gap: 4px 32px; margin: 0 0 12px; }
.guarantee div { display: flex; flex-direction: column-reverse; }
.guarantee dt { font-size: 13px; color: var(--quiet); }
.guarantee dd { margin: 0; font-size: 22px; font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: fit-content(50%) 1fr; gap: 2px 16px; margin: 0 0 12px; }
.facts div { display: contents; } .facts dt { color: var(--quiet); } .facts dd { margin: 0; }
.scroll { overflow-x: auto; margin: 0 0 16px; }
table { border-collapse: collapse; min-width: 50%; font-size: 13px; line-height: 1.4;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0 0 6px; font-size: 14px; }
th, td { padding: 4px 0 4px 16px; text-align: right; vertical-align: top; font-weight: 400;
  border-bottom: 1px solid var(--grid); white-space: nowrap; unicode-bidi: isolate; }
th:first-child { padding-left: 0; }
thead th { vertical-align: bottom; color: var(--quiet); border-bottom-color: var(--rule);
  white-space: normal; overflow-wrap: normal; min-width: 4.5em; }
.interval { display: block; color: var(--quiet); font-weight: 400; }
.words { text-align: left; white-space: normal; }
tbody .words { min-width: 7em; max-width: 30em; }
tr.total th, tr.total td { border-top: 2px solid var(--rule); font-weight: 600; }
figure { margin: 0 0 28px; }
figcaption { font-size: 14px; font-weight: 600; margin: 0 0 6px; }
.heat td { padding: 4px 8px; background: color-mix(in srgb, var(--first) var(--heat, 0%), var(--paper)); }
.heat tbody th { padding-right: 8px; }
.heat td.below { background: color-mix(in srgb, var(--second) var(--heat), var(--paper)); }
.selection { display: block; font-weight: 400; color: var(--quiet); }
.axis { font-size: 13px; color: var(--quiet); margin: 2px 0 0; max-width: none; }
.note { font-size: 14px; color: var(--quiet); }
.rows { display: grid; grid-template-columns: minmax(0, 280px) minmax(0, 1fr) auto; column-gap: 14px; }
.rows ol { list-style: none; margin: 0; padding: 0; font-size: 13px; }
.rows li { height: 30px; line-height: 30px; display: flex; gap: 10px; white-space: nowrap; }
.rows li.total { margin-top: 10px; font-weight: 600; }
.rows li.head, .rows .head .size { color: var(--quiet); }
.names .name { flex: 1 1 auto; overflow: hidden; text-overflow: ellipsis; unicode-bidi: isolate; }
.names .size { flex: none; color: var(--quiet); font-variant-numeric: tabular-nums; font-weight: 400; }
.figures li { justify-content: flex-end; font-variant-numeric: tabular-nums; }
.rows .axis { grid-column: 2; text-align: center; }
.curves .axis { text-align: center; margin-right: 6%; }
svg { display: block; overflow: visible; }
.plot svg { color: var(--ink); }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  fill: var(--quiet); font-variant-numeric: tabular-nums; }
.grid { stroke: var(--grid); } .rule { stroke: var(--rule); }
.zero { stroke: var(--ink); } .overall { stroke: var(--quiet); stroke-dasharray: 4 3; }
.bar { stroke: var(--first); stroke-width: 1.5; } .dot { fill: var(--first); }
.bar.second { stroke: var(--second); }
.curve { fill: none; stroke-width: 2; } .curve.first { stroke: var(--first); }
.curve.second { stroke: var(--second); stroke-dasharray: 6 3; }
.curve.third { stroke: var(--third); stroke-dasharray: 2 3; }
.mark.first { fill: var(--first); } .mark.second { fill: var(--second); }
.mark.third { fill: var(--paper); stroke: var(--third); stroke-width: 2; }
svg text.name.first { fill: var(--first); font-weight: 600; }
svg text.name.second { fill: var(--second); font-weight: 600; }
svg text.name.third { fill: var(--third); font-weight: 600; }
.leader { stroke: var(--rule); }
.shares { fill: var(--quiet); } .pointed { fill: transparent; }
.pointed:hover { fill: var(--first); fill-opacity: 0.15; }
.before { fill: var(--spent); background: var(--spent); }
.run { fill: var(--first); background: var(--first); }
.left { fill: none; stroke: var(--quiet); outline: 1px solid var(--quiet); outline-offset: -1px; }
.keys { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 24px; margin: 6px 0 0; padding: 0;
  font-size: 13px; }
.key { display: inline-block; width: 12px; height: 12px; margin-right: 7px; vertical-align: -1px; }
.scroll:focus-visible { outline: 2px solid var(--first); outline-offset: 2px; }
pre { margin: 0 0 12px; padding: 12px 14px; border: 1px solid var(--rule); background: var(--open);
  font: 13px/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, "Liberation Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 640px) {
  body { padding: 16px 14px 32px; }
  .sides { grid-template-columns: 1fr; }
  .rows { grid-template-columns: minmax(0, 38%) minmax(0, 1fr); column-gap: 10px; }
  .rows ol { font-size: 12px; }
  .rows li { flex-direction: column; gap: 0; line-height: 14px; padding-top: 1px; }
  .names .name { flex: none; }
  .names .size { font-size: 11px; line-height: 12px; }
  .figures { display: none; } }
@media print { body { max-width: none; padding: 0; font-size: 11pt; }
  .scroll { overflow: visible; } table { font-size: 8pt; } th, td { padding-left: 8px; }
  tr, figure, .keys, pre, .banner, .warnings, .sides { break-inside: avoid; }
  .rows:has(li:nth-child(25)) { zoom: 0.62; } .rows:has(li:nth-child(43)) { zoom: 0.43; }
  h2, h3, figcaption, caption { break-after: avoid; } tbody tr:first-child { break-before: avoid; }
  svg, .key, .heat td { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)css";

/// A figure with its interval below it.
std::string figure_cell(const std::string& text) {
  const size_t interval = text.find('[');
  if (interval == std::string::npos) return escape_markup(text);
  return escape_markup(text.substr(0, interval)) +
         element("span", {{"class", "interval"}}, escape_markup(text.substr(interval)));
}

}  // namespace

std::string html_page(std::string_view title, std::string_view body) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += R"(<meta name="viewport" content="width=device-width, initial-scale=1">)";
  page += "\n<meta name=\"robots\" content=\"noindex\">\n";
  // Nothing is loaded and no script runs, whatever a name in the report contains.
  page +=
      R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">)";
  page += "\n" + text_element("title", title) + "\n";
  page += element("style", {}, kStyle) + "\n</head>\n<body>\n<main>\n";
  page += text_element("h1", title) + "\n";
  page += body;
  return page + "</main>\n</body>\n</html>\n";
}

std::string html_banner(std::string_view notice) {
  const std::string text =
      notice.empty()
          ? fmt::format(
                "<strong>Contains non-private statistics: do not publish.</strong> {} Each "
                "section is marked as publishable or as not private.",
                kDoNotChooseBy)
          : text_element("strong", notice);
  return element("div", {{"class", "banner"}, {"role", "note"}}, element("p", {}, text)) + "\n";
}

std::string html_warnings(const std::vector<std::string>& alarms,
                          const std::vector<std::string>& warnings) {
  if (alarms.empty() && warnings.empty()) return "";
  std::string items;
  for (const std::string& alarm : alarms) items += element("li", {}, text_element("strong", alarm));
  for (const std::string& warning : warnings) items += text_element("li", "Warning: " + warning);
  return element("div", {{"class", "warnings"}, {"role", "note"}}, "<ul>" + items + "</ul>") + "\n";
}

std::string html_section(std::string_view heading, Fence fence, std::string_view body) {
  const bool open = fence == Fence::kPublishable;
  const std::string mark = element("span", {{"class", open ? "fence open" : "fence closed"}},
                                   open ? "publishable" : "not private");
  return element("section", {},
                 element("h2", {}, escape_markup(heading) + mark) + "\n" + std::string(body)) +
         "\n";
}

std::string html_paragraph(std::string_view text) { return text_element("p", text) + "\n"; }

std::string html_table(const TextTable& table, bool shows_caption) {
  const auto attributes = [&](size_t column, std::string_view scope) {
    Attributes result;
    if (!scope.empty()) result.emplace_back("scope", scope);
    if (column < table.num_left) result.emplace_back("class", "words");
    return result;
  };
  std::string head;
  for (size_t c = 0; c < table.head.size(); ++c)
    head += element("th", attributes(c, "col"), escape_markup(table.head[c]));
  std::string body;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    std::string cells = element("th", attributes(0, "row"), escape_markup(table.rows[r][0]));
    for (size_t c = 1; c < table.rows[r].size(); ++c) {
      const std::string& text = table.rows[r][c];
      cells += element("td", attributes(c, ""),
                       c < table.num_left ? escape_markup(text) : figure_cell(text));
    }
    const bool total = table.ends_in_total && r + 1 == table.rows.size();
    body += element("tr", total ? Attributes{{"class", "total"}} : Attributes{}, cells) + "\n";
  }
  // Content that is too wide for a narrow screen can be scrolled, with the keyboard as well.
  return element("div",
                 {{"class", "scroll"},
                  {"role", "region"},
                  {"tabindex", "0"},
                  {"aria-label", table.caption.empty() ? columns_of(table.head) : table.caption}},
                 element("table", {},
                         (shows_caption ? text_element("caption", table.caption) + "\n" : "") +
                             element("thead", {}, element("tr", {}, head)) + "\n" +
                             element("tbody", {}, "\n" + body))) +
         "\n";
}

std::string html_list(const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items) list += text_element("li", item);
  return element("ul", {}, list) + "\n";
}

std::string html_guarantee(const Guarantee& guarantee) {
  const auto figure = [](std::string_view name, std::string_view value) {
    return element("div", {}, text_element("dt", name) + text_element("dd", value));
  };
  return element("dl", {{"class", "guarantee"}},
                 figure("epsilon", format_epsilon(guarantee.epsilon)) +
                     figure("delta", fmt::format("{}", guarantee.delta.value())) +
                     figure("accountant", std::string(to_string(guarantee.accountant))) +
                     figure("relation", to_string(guarantee.relation))) +
         "\n" +
         html_paragraph(
             fmt::format("Any output is at most exp(epsilon) = {} times as likely with one of the "
                         "two tables as with the other, up to a probability of delta = {}.",
                         likelihood_factor(guarantee.epsilon), guarantee.delta.value()));
}

std::string html_repeat(const std::string& command, const std::string& version,
                        const std::vector<std::string>& files) {
  std::string body = text_element("pre", command) + "\n";
  body += html_paragraph("Equinoise " + version + ".");
  if (!files.empty()) body += html_paragraph("Files written:") + html_list(files);
  return html_section("How to repeat it", Fence::kPublishable, body);
}

}  // namespace equinoise
