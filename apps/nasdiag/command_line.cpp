#include "nasdiag/command_line.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>

namespace nasdiag::app {

namespace {

void print_help(const Help& help, const po::options_description& options) {
  std::cout << "Usage: " << help.usage << "\n\n" << help.description << "\n\n" << options;
  if (!help.examples.empty()) std::cout << "\nExamples:\n" << help.examples;
}

int parse_port(std::string_view text, const std::string& whole) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535)
    throw UsageError("'" + whole + "' does not name a host and port: the port must be 1 to 65535");
  return port;
}

}  // namespace

ParsedOptions parse_options(const std::vector<std::string>& arguments, const po::options_description& options,
                            const po::positional_options_description& positional, const Help& help) {
  namespace style = po::command_line_style;
  po::options_description all(options);
  all.add_options()("help,h", "show this help");
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end() ||
      std::find(arguments.begin(), arguments.end(), "-h") != arguments.end()) {
    print_help(help, all);
    return {.values = {}, .help_shown = true};
  }
  try {
    ParsedOptions parsed;
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .positional(positional)
                  .style(style::default_style & ~style::allow_guessing)
                  .run(),
              parsed.values);
    po::notify(parsed.values);
    return parsed;
  } catch (const po::too_many_positional_options_error&) {
    const unsigned most = positional.max_total_count();
    throw UsageError("this command takes " +
                     (most == 0 ? "no word" : "at most " + std::to_string(most) + " words") +
                     " besides its options; quote a name that has spaces\nUsage: " + std::string(help.usage));
  } catch (const po::error& error) {
    throw UsageError(std::string(error.what()) + "\nUsage: " + std::string(help.usage));
  }
}

HostPort parse_host_port(const std::string& text, int default_port) {
  if (text.empty())
    throw UsageError("the server's name is empty: give a host name or address, with :PORT if needed");
  if (text.front() == '[') {
    const auto close = text.find(']');
    if (close == std::string::npos)
      throw UsageError("'" + text + "': a ']' is missing after the IPv6 address");
    const std::string host = text.substr(1, close - 1);
    if (close + 1 == text.size()) return {host, default_port};
    if (text[close + 1] != ':') throw UsageError("'" + text + "': expected ':PORT' after ']'");
    return {host, parse_port(std::string_view(text).substr(close + 2), text)};
  }
  const auto colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos)
    return {text, default_port};
  if (colon == 0) throw UsageError("'" + text + "': the host name before the ':' is missing");
  return {text.substr(0, colon), parse_port(std::string_view(text).substr(colon + 1), text)};
}

}  // namespace nasdiag::app
