// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace equinoise {

/// A stream of uniform 64-bit words. Not thread-safe: a stream belongs to one caller.
///
/// Words come from AES-256-CTR in large blocks; each block's first bytes become the next key, so
/// earlier output cannot be recomputed from a later state. The state lives in memory that the
/// kernel wipes in a forked child, which then starts anew instead of repeating its parent's words.
class RandomSource {
 public:
  RandomSource(const RandomSource&) = delete;
  RandomSource& operator=(const RandomSource&) = delete;
  virtual ~RandomSource();

  /// The next uniform word. Errors: kRuntime if the operating system gives no randomness; never a
  /// weak word.
  uint64_t next() {
    if (state_->position == state_->available) refill();
    uint64_t& slot = state_->words[state_->position++];
    const uint64_t word = slot;
    slot = 0;
    return word;
  }

  /// The words that next() gives before more must be made, the next one first; maybe none. The
  /// caller discards the words that it uses.
  std::span<const uint64_t> ready() const {
    return {state_->words + state_->position, state_->available - state_->position};
  }
  /// Skips the next `count` words. Pre: that many are ready.
  void discard(size_t count) {
    std::fill_n(state_->words + state_->position, count, uint64_t{0});
    state_->position += count;
  }

  /// Returns whether releases made with this source are private. Only SecureSource's are.
  virtual bool secure() const = 0;

  /// Announces step `step` to a reproducible source; a secure one ignores it.
  virtual void start_step(uint64_t step) { static_cast<void>(step); }

 private:
  // Sealed: no other class may claim to be secure, or be taken for a test source.
  friend class SecureSource;
  friend class SeededSource;
  using Key = std::array<unsigned char, 32>;

  RandomSource();
  virtual void make_key(Key& key) = 0;
  /// Forgets the buffered words: the next one comes from a new key.
  void restart();

  static constexpr size_t kKeyWords = 4;
  static constexpr size_t kWords = 4096;
  struct State {
    uint64_t position;
    uint64_t available;
    uint64_t keyed;
    Key key;
    uint64_t words[kWords];
  };
  struct Cipher;

  void refill();

  State* state_;
  std::unique_ptr<Cipher> cipher_;
};

/// The source for releases: keyed from the operating system (getrandom), fails closed.
class SecureSource final : public RandomSource {
 public:
  SecureSource() = default;
  bool secure() const override { return true; }

 private:
  void make_key(Key& key) override;
};

/// A reproducible source for tests and reproductions. Whatever it touches is NOT PRIVATE.
class SeededSource final : public RandomSource {
 public:
  explicit SeededSource(uint64_t seed) : seed_(seed) {}

  /// Moves to the beginning of the stream of (seed, step), independent of earlier draws.
  void start_step(uint64_t step) override;
  bool secure() const override { return false; }

 private:
  void make_key(Key& key) override;

  uint64_t seed_;
  uint64_t step_ = 0;
};

}  // namespace equinoise
