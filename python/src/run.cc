// SPDX-License-Identifier: Apache-2.0
#include "python/src/run.h"

#include <nanobind/stl/string.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <thread>

#include "cli/tool.h"
#include "python/src/python_errors.h"
#include "python/src/python_host.h"

namespace equinoise::python {

namespace nb = nanobind;

namespace {

constexpr auto kPause = std::chrono::milliseconds(50);

/// A place in a list. It is removed only after its host is destroyed, which may need the GIL.
class Place {
 public:
  using Hosts = std::list<std::unique_ptr<PythonHost>>;

  explicit Place(Hosts& hosts) : hosts_(hosts), place_(hosts.emplace(hosts.end())) {}
  ~Place() {
    place_->reset();
    hosts_.erase(place_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  std::unique_ptr<PythonHost>& held() { return *place_; }

 private:
  Hosts& hosts_;
  Hosts::iterator place_;
};

/// Runs work on a thread of its own and returns when it is done. Meanwhile the calling thread, the
/// only one that may be the main one, lets Python handle signals. Needs the GIL, releases it.
void run_beside_signals(PythonHost& host, const std::function<void()>& work) {
  const nb::gil_scoped_release release;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::thread worker([&] {
    work();
    const std::lock_guard lock(mutex);
    is_done = true;
    changed.notify_one();
  });
  for (std::unique_lock lock(mutex); !is_done;) {
    if (changed.wait_for(lock, kPause, [&] { return is_done; })) break;
    lock.unlock();
    {
      const nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) host.stop();
    }
    lock.lock();
  }
  worker.join();
}

}  // namespace

std::pair<int, std::string> Runs::run(const std::vector<std::string>& words,
                                      const TablesByName& tables, const nb::object& progress) {
  Place place(hosts_);
  place.held() = std::make_unique<PythonHost>(tables, progress);
  if (is_ended_)
    raise_error(static_cast<int>(ErrorKind::kRuntime), "[python] this process is ending");
  PythonHost& host = *place.held();
  int exit_code = 0;
  std::exception_ptr problem;
  run_beside_signals(host, [&] {
    try {
      exit_code = cli::run_tool(words, host);
    } catch (...) {
      problem = std::current_exception();
    }
  });
  std::string message;
  try {
    if (problem) std::rethrow_exception(problem);
  } catch (const Error& error) {
    exit_code = static_cast<int>(error.kind());
    message = error.what();
  } catch (const std::bad_alloc&) {
    host.raise_what_stopped(nb::none());
    throw;
  } catch (const std::exception& error) {
    exit_code = static_cast<int>(ErrorKind::kRuntime);
    message = std::string("unexpected: ") + error.what();
  }
  host.raise_what_stopped(message.empty()
                              ? error_of(static_cast<int>(ErrorKind::kRuntime),
                                         "the command had finished; its files are written")
                              : error_of(exit_code, message));
  if (!message.empty()) raise_error(exit_code, message);
  return {exit_code, host.printed()};
}

void Runs::end() {
  // The threads that run these commands do not exist in a forked child.
  if (::getpid() != process_) return;
  is_ended_ = true;
  for (const std::unique_ptr<PythonHost>& host : hosts_) {
    if (host == nullptr) continue;
    PyErr_SetNone(PyExc_SystemExit);
    host->stop();
  }
  while (!hosts_.empty()) {
    const nb::gil_scoped_release release;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace equinoise::python
