// SPDX-License-Identifier: Apache-2.0
#include "python/src/python_host.h"

#include <nanobind/stl/string.h>

#include <chrono>
#include <utility>

#include "equinoise/base/error.h"
#include "python/src/memory_table.h"

namespace equinoise::python {

namespace nb = nanobind;

namespace {

/// Reports the progress of a run to the host's object.
class PythonProgress final : public TrainProgress {
 public:
  PythonProgress(PythonHost& host, bool quiet) : host_(host), quiet_(quiet) {}

  void stage(const std::string& text) override {
    if (!quiet_) host_.call("stage", text);
    // Stops only while the run has not begun anything that it must finish.
    if (host_.is_stopped() && num_holds_ == 0)
      throw Error(ErrorKind::kRuntime, "python", "interrupted");
  }

  void hold_interruptions() override { ++num_holds_; }
  void release_interruptions() override { --num_holds_; }

  bool interrupted() const override { return host_.is_stopped(); }

  void start_training(int64_t num_steps_done, int64_t num_steps,
                      const std::function<double(int64_t)>&) override {
    done_ = told_ = num_steps_done;
    when_told_ = Clock::now();
    if (!quiet_) host_.call("start", num_steps_done, num_steps);
  }

  void step_done(int64_t num_steps_done) override {
    done_ = num_steps_done;
    if (Clock::now() - when_told_ >= kShortestPause) tell_step();
  }

  void finish_training() override {
    if (told_ != done_) tell_step();
    if (!quiet_) host_.call("finish");
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kShortestPause = std::chrono::milliseconds(50);

  void tell_step() {
    if (!quiet_) host_.call("step", done_);
    told_ = done_;
    when_told_ = Clock::now();
  }

  PythonHost& host_;
  bool quiet_;
  int num_holds_ = 0;
  int64_t done_ = 0;
  int64_t told_ = 0;
  Clock::time_point when_told_;
};

}  // namespace

PythonHost::PythonHost(const TablesByName& tables, nb::object progress)
    : held_(nb::steal<nb::dict>(PyDict_Copy(tables.ptr()))), progress_(std::move(progress)) {
  for (const auto& [key, table] : held_) {
    const auto name = nb::cast<std::string>(key);
    tables_.emplace(name, memory_table(name, table));
  }
}

void PythonHost::tell(const std::string& text) noexcept { call("note", text); }

TableSource PythonHost::table(const std::string& name) {
  const auto found = tables_.find(name);
  return found == tables_.end() ? ToolHost::table(name) : found->second;
}

std::unique_ptr<TrainProgress> PythonHost::make_progress(bool quiet) {
  return std::make_unique<PythonProgress>(*this, quiet);
}

void PythonHost::stop() {
  nb::python_error error;
  if (!stopped_.exchange(true)) why_stopped_.emplace(std::move(error));
}

void PythonHost::raise_what_stopped(const nb::object& cause) {
  if (!why_stopped_) return;
  if (!cause.is_none())
    PyException_SetCause(why_stopped_->value().ptr(), nb::object(cause).release().ptr());
  throw nb::python_error(std::move(*why_stopped_));
}

}  // namespace equinoise::python
