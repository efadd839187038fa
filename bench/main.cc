// SPDX-License-Identifier: Apache-2.0
// Runs the benchmarks of a program after the facts without which its figures say nothing; Google
// Benchmark itself adds the number of cores, the caches and the load.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name"))
      return line.substr(std::min(line.find(": ") + 2, line.size()));
  }
  return "unknown";
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("equinoise", EQUINOISE_VERSION);
  benchmark::AddCustomContext("cpu", cpu_model());
  benchmark::AddCustomContext("compiler", EQUINOISE_COMPILER);
  benchmark::AddCustomContext("flags", EQUINOISE_FLAGS);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
