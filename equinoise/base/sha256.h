// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace equinoise {

/// SHA-256 of a text that comes in parts. Errors: kRuntime.
class Sha256 {
 public:
  using Digest = std::array<uint8_t, 32>;

  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view part);

  /// The digest of the text since the last one.
  Digest digest();

  /// The digest in lower-case hexadecimal.
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// SHA-256 of `text` in lower-case hexadecimal.
std::string sha256_hex(std::string_view text);

}  // namespace equinoise
