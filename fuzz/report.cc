// SPDX-License-Identifier: Apache-2.0
// Reports that `equinoise report` reads, and the pages that it makes of them.

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/report/training/training_report.h"
#include "fuzz/contract.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  const auto require_page = [](const std::string& page) {
    fuzz::require(page.ends_with("</html>\n"), "a page is whole");
  };
  fuzz::error_of([&] {
    require_page(to_page(
        training_document(training_report_from_json(fuzz::as_text(data, size), "report.json"))));
  });
  fuzz::error_of([&] {
    require_page(to_page(
        compare_document(compare_report_from_json(fuzz::as_text(data, size), "compare.json"))));
  });
  fuzz::error_of([&] {
    require_page(
        to_page(means_document(means_report_from_json(fuzz::as_text(data, size), "report.json"))));
  });
  return 0;
}
