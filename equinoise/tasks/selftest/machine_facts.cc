// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/selftest/machine_facts.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <sys/utsname.h>

#include <fstream>
#include <thread>

namespace equinoise {

namespace {

void append_word(std::string& list, const std::string& word) {
  if (!list.empty()) list += ' ';
  list += word;
}

struct Feature {
  const char* name;
  bool compiled;   ///< used by this build
  bool available;  ///< on this processor
};

std::vector<Feature> features() {
#if defined(__x86_64__)
#if defined(__AVX2__)
  constexpr bool kAvx2 = true;
#else
  constexpr bool kAvx2 = false;
#endif
#if defined(__FMA__)
  constexpr bool kFma = true;
#else
  constexpr bool kFma = false;
#endif
#if defined(__BMI2__)
  constexpr bool kBmi2 = true;
#else
  constexpr bool kBmi2 = false;
#endif
#if defined(__AVX512F__)
  constexpr bool kAvx512 = true;
#else
  constexpr bool kAvx512 = false;
#endif
  return {{"avx2", kAvx2, __builtin_cpu_supports("avx2") != 0},
          {"fma", kFma, __builtin_cpu_supports("fma") != 0},
          {"bmi2", kBmi2, __builtin_cpu_supports("bmi2") != 0},
          {"avx512f", kAvx512, __builtin_cpu_supports("avx512f") != 0}};
#else
  return {};
#endif
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string build_flags() {
  std::string flags;
#if defined(__OPTIMIZE__)
  append_word(flags, "optimised");
#else
  append_word(flags, "not optimised");
#endif
#if defined(__FAST_MATH__)
  append_word(flags, "fast-math");
#endif
#if defined(__SANITIZE_ADDRESS__)
  append_word(flags, "address sanitizer");
#endif
#if defined(__SANITIZE_THREAD__)
  append_word(flags, "thread sanitizer");
#endif
#if defined(EQUINOISE_USE_TBB)
  append_word(flags, "tbb");
#endif
  return flags;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_facts() {
  std::string compiled;
  std::string available;
  for (const Feature& feature : features()) {
    if (feature.compiled) append_word(compiled, feature.name);
    if (feature.available) append_word(available, feature.name);
  }
  utsname system = {};
  const bool known = uname(&system) == 0;
  return {{"version", EQUINOISE_VERSION},
          {"compiler", __VERSION__},
          {"build", build_flags()},
          {"built_for", compiled.empty() ? "no extensions" : compiled},
          {"processor", processor()},
          {"processor_has", available.empty() ? "no extensions" : available},
          {"processors", fmt::format("{}", std::thread::hardware_concurrency())},
          {"kernel", known ? fmt::format("{} {}", system.sysname, system.release) : "unknown"},
          {"libc", gnu_get_libc_version()},
          {"openssl", OpenSSL_version(OPENSSL_VERSION)},
          {"sqlite", sqlite3_libversion()}};
}

std::string missing_cpu_features() {
  std::string missing;
  for (const Feature& feature : features()) {
    if (feature.compiled && !feature.available) append_word(missing, feature.name);
  }
  return missing;
}

}  // namespace equinoise
