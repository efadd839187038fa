// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

void check(int result) {
  if (result != 1) throw Error(ErrorKind::kRuntime, "base.sha256", "SHA-256 failed");
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(digest); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check(EVP_DigestInit_ex(context_->digest, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view part) {
  check(EVP_DigestUpdate(context_->digest, part.data(), part.size()));
}

Sha256::Digest Sha256::digest() {
  Digest digest;
  check(EVP_DigestFinal_ex(context_->digest, digest.data(), nullptr));
  check(EVP_DigestInit_ex2(context_->digest, nullptr, nullptr));
  return digest;
}

std::string Sha256::hex() {
  std::string hex;
  for (const uint8_t byte : digest()) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string sha256_hex(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.hex();
}

}  // namespace equinoise
