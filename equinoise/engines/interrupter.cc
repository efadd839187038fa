// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/interrupter.h"

#include <chrono>
#include <utility>

namespace equinoise {

Interrupter::Interrupter(Engine& engine, std::function<bool()> interrupted)
    : thread_([this, &engine, asked = std::move(interrupted)] { watch(engine, asked); }) {}

Interrupter::~Interrupter() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

void Interrupter::watch(Engine& engine, const std::function<bool()>& interrupted) {
  constexpr std::chrono::milliseconds kPause(100);
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, kPause, [this] { return is_over_; }))
    if (interrupted()) engine.cancel();
}

}  // namespace equinoise
