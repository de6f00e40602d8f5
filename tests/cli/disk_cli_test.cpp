#include "support/program.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

using Catch::Matchers::Contains;
using namespace nasdiag;
using test::run_program;

namespace {

std::vector<std::string> short_run(const test::TempDir& folder, std::vector<std::string> more) {
  std::vector<std::string> words{"disk", folder.path().string(), "--size", "8M", "--runtime", "300ms"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("nasdiag disk measures what it is told and leaves the folder empty") {
  const test::TempDir folder;
  const auto ended = run_program(short_run(folder, {"--rw", "write,randread"}));
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.out,
             Contains("write 1 MiB × 8") && Contains("random read 4 KiB × 32") && Contains("Mbit/s"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("nasdiag disk --json - prints fio's layout and nothing else") {
  const test::TempDir folder;
  const auto ended = run_program(short_run(folder, {"--rw", "randrw", "--json", "-"}));
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  const auto value = boost::json::parse(ended.out);
  CHECK(value.at("jobs").at(0).at("read").at("iops").to_number<double>() > 0);
  CHECK(value.at("jobs").at(0).at("write").at("bw_bytes").to_number<double>() > 0);
}

TEST_CASE("nasdiag disk says in a sentence what can't be measured") {
  struct Wrong {
    std::vector<std::string> words;
    int exit_code;
    const char* says;
  };
  const std::string here = "HERE";  // each case gets a folder of its own
  const auto wrong = GENERATE_COPY(
      Wrong{{"disk"}, 2, "name the folder"}, Wrong{{"disk", here + "/gone"}, 3, "No such file or directory"},
      Wrong{{"disk", here, "--rw", "sideways"}, 2, "randread"},
      Wrong{{"disk", here, "--preset", "fast"}, 2, "cdm-nvme"},
      Wrong{{"disk", here, "--preset", "nas", "--rw", "read"}, 2, "exclude each other"},
      Wrong{{"disk", here, "--rw", "read", "--bs", "1000"}, 2, "multiple of 512"},
      Wrong{{"disk", here, "--rw", "read", "--bs", "lots"}, 2, "a size like"},
      Wrong{{"disk", here, "--rw", "read", "--iodepth", "0"}, 2, "1 to 4096"},
      Wrong{{"disk", here, "--rw", "read", "--runtime", "0"}, 2, "runtime"},
      Wrong{{"disk", here, "--rw", "read", "--bs", "64M", "--size", "64M", "--iodepth", "4096"},
            2,
            "smaller blocks"});
  const test::TempDir folder;
  std::vector<std::string> words = wrong.words;
  for (std::string& word : words)
    if (word.starts_with(here)) word.replace(0, here.size(), folder.path().string());
  const auto ended = run_program(words);
  INFO(ended.err);
  CHECK(ended.exit_code == wrong.exit_code);
  CHECK_THAT(ended.err, Contains(wrong.says));
  CHECK(ended.out.empty());
  CHECK(std::filesystem::is_empty(folder.path()));
}
