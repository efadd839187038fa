// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "equinoise/engines/engine.h"

namespace equinoise {

/// Cancels the statements of an engine once a function returns true. Watches as long as it exists.
class Interrupter {
 public:
  /// `engine` outlives this; `interrupted` is called on another thread.
  Interrupter(Engine& engine, std::function<bool()> interrupted);
  ~Interrupter();
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;

 private:
  void watch(Engine& engine, const std::function<bool()>& interrupted);

  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace equinoise
