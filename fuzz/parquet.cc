// SPDX-License-Identifier: Apache-2.0
// Tables in Parquet: the bytes stand between the format's marks.

#include "fuzz/people.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  static const fuzz::InputFile file("table.parquet");
  const std::string content = "PAR1" + std::string(fuzz::as_text(data, size)) + "PAR1";
  static_cast<void>(fuzz::read_people(file.write(content), TableUse::kOther));
  return 0;
}
