#include "support/program.hpp"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using nasdiag::test::run_program;

TEST_CASE("without a command the overview is shown, as a usage error") {
  const auto ended = run_program({});
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.err, Contains("Usage: nasdiag COMMAND"));
  CHECK(ended.out.empty());
}

TEST_CASE("help goes to standard output and is no error") {
  const auto words =
      GENERATE(std::vector<std::string>{"--help"}, std::vector<std::string>{"help"},
               std::vector<std::string>{"run", "--help"}, std::vector<std::string>{"compare", "-h"},
               std::vector<std::string>{"demo", "--help"}, std::vector<std::string>{"history", "--help"},
               std::vector<std::string>{"show", "--help"});
  const auto ended = run_program(words);
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.out, Contains("Usage: nasdiag"));
  CHECK(ended.err.empty());
}

TEST_CASE("what can't be understood is said in a sentence, with exit code 2") {
  struct Wrong {
    std::vector<std::string> words;
    const char* says;
  };
  const auto wrong = GENERATE(
      Wrong{{"rnu"}, "there is no command 'rnu'"}, Wrong{{"run"}, "nothing to measure"},
      Wrong{{"run", "--serv", "nas"}, "--serv"}, Wrong{{"run", "--server"}, "server"},
      Wrong{{"run", "--server", "nas:99999"}, "1 to 65535"}, Wrong{{"run", "--server", ":1"}, "host name"},
      Wrong{{"run", "--server", "[::1"}, "']' is missing"},
      Wrong{{"run", "--server", "nas", "stray"}, "takes no word"},
      Wrong{{"run", "--server", "nas", "--quick", "--thorough"}, "exclude each other"},
      Wrong{{"run", "--server", "nas", "--budget", "soon"}, "not a time"},
      Wrong{{"run", "--server", "nas", "--budget", "1s"}, "between 10s and 1h"},
      Wrong{{"run", "--server", "nas", "--json", "/nowhere/at/all.json"}, "name another file"},
      Wrong{{"compare", "one.json"}, "two reports"},
      Wrong{{"compare", "a", "b", "--fail-if-slower", "lots"}, "percentage"});
  const auto ended = run_program(wrong.words);
  INFO(ended.err);
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.err, Contains(wrong.says));
  CHECK(ended.out.empty());
}

TEST_CASE("the version is the project's") {
  const auto ended = run_program({"--version"});
  CHECK(ended.exit_code == 0);
  CHECK(ended.out == "nasdiag " NASDIAG_VERSION "\n");
}
