// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/source.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

[[noreturn]] void fail(const char* message) {
  throw Error(ErrorKind::kRuntime, "privacy.random", message);
}

}  // namespace

struct RandomSource::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  ~Cipher() { EVP_CIPHER_CTX_free(context); }
};

RandomSource::RandomSource() : state_(nullptr), cipher_(std::make_unique<Cipher>()) {
  if (cipher_->context == nullptr) fail("cannot create a cipher");
  void* memory =
      mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("cannot map memory for the generator");
  if (madvise(memory, sizeof(State), MADV_WIPEONFORK) != 0) {
    munmap(memory, sizeof(State));
    fail("this kernel cannot wipe the generator on fork (Linux 4.14 or newer is needed)");
  }
  state_ = static_cast<State*>(memory);
}

RandomSource::~RandomSource() {
  OPENSSL_cleanse(state_, sizeof(State));
  munmap(state_, sizeof(State));
}

void RandomSource::restart() { OPENSSL_cleanse(state_, sizeof(State)); }

void RandomSource::refill() {
  if (state_->keyed == 0) {
    make_key(state_->key);
    state_->keyed = 1;
  }
  // Every key encrypts one block from counter 0; the zero IV is never reused with a key.
  static constexpr unsigned char kIv[16] = {};
  auto* bytes = reinterpret_cast<unsigned char*>(state_->words);
  std::memset(bytes, 0, sizeof state_->words);
  int written = 0;
  if (EVP_EncryptInit_ex(cipher_->context, EVP_aes_256_ctr(), nullptr, state_->key.data(), kIv) !=
          1 ||
      EVP_EncryptUpdate(cipher_->context, bytes, &written, bytes, sizeof state_->words) != 1 ||
      written != static_cast<int>(sizeof state_->words)) {
    restart();
    fail("AES-256-CTR failed");
  }
  // OpenSSL's copy of the key is wiped too, so that this block cannot be made again.
  EVP_CIPHER_CTX_reset(cipher_->context);
  std::memcpy(state_->key.data(), bytes, state_->key.size());
  OPENSSL_cleanse(bytes, state_->key.size());
  state_->position = kKeyWords;
  state_->available = kWords;
}

void SecureSource::make_key(Key& key) {
  size_t filled = 0;
  while (filled < key.size()) {
    const ssize_t got = getrandom(key.data() + filled, key.size() - filled, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      fail("the operating system provides no randomness (getrandom failed)");
    }
    filled += static_cast<size_t>(got);
  }
}

void SeededSource::start_step(uint64_t step) {
  step_ = step;
  restart();
}

void SeededSource::make_key(Key& key) {
  const uint64_t input[2] = {seed_, step_};
  unsigned int length = 0;
  if (EVP_Digest(input, sizeof input, key.data(), &length, EVP_sha256(), nullptr) != 1 ||
      length != key.size()) {
    fail("SHA-256 failed");
  }
}

}  // namespace equinoise
