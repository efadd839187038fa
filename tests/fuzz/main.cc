// SPDX-License-Identifier: Apache-2.0
// The main function of a fuzzer where there is no libFuzzer: calls it with the content of each file
// of a folder, so that every test run sees the seeds keep the fuzzer's contract. Files that end in
// ".base64" are decoded first.

#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::string decode(std::string text) {
  std::erase(text, '\n');
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) {
    std::fprintf(stderr, "a seed is not base64\n");
    std::exit(1);
  }
  // What completes the last four characters stands for no bytes.
  const auto padding = std::ranges::count(text, '=');
  bytes.resize(static_cast<size_t>(size) - static_cast<size_t>(padding));
  return bytes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  int num_inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), {}};
    if (entry.path().extension() == ".base64") content = decode(content);
    std::printf("%s\n", entry.path().filename().c_str());
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(content.data()), content.size());
    ++num_inputs;
  }
  return num_inputs > 0 ? 0 : 1;
}
