// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/unpacker.h"

#include <fmt/format.h>

namespace equinoise {

void fail_to_unpack(const InputFile& file, std::string_view problem) {
  fail_in_file(file.name(), fmt::format("{}; fetch or compress the file again", problem));
}

std::unique_ptr<Unpacker> unpacker_of(const InputFile& file) {
  if (file.starts_with("\x1f\x8b")) return unpack_gzip();
  if (file.starts_with("PK\x03\x04")) return unpack_zip();
  if (file.starts_with("\x28\xb5\x2f\xfd")) return unpack_zstd();
  return nullptr;
}

}  // namespace equinoise
