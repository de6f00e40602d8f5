#include "diagnose/report/json_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <system_error>

namespace nasdiag::report {

namespace {

namespace json = boost::json;

constexpr int kIndent = 2;
constexpr std::size_t kLongestLine = 12;  // elements of a plain array that stay on one line

bool is_plain(const json::value& value) { return !value.is_array() && !value.is_object(); }

bool fits_on_one_line(const json::array& array) {
  if (array.size() > kLongestLine) return false;
  for (const json::value& element : array)
    if (!is_plain(element)) return false;
  return true;
}

class Writer {
 public:
  explicit Writer(bool indented) : indented_(indented) {}

  void write(const json::value& value, int depth) {
    switch (value.kind()) {
      case json::kind::object:
        write_object(value.get_object(), depth);
        break;
      case json::kind::array:
        write_array(value.get_array(), depth);
        break;
      case json::kind::double_:
        write_double(value.get_double());
        break;
      default:
        text_ += json::serialize(value);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  void new_line(int depth) {
    if (!indented_) return;
    text_ += '\n';
    text_.append(static_cast<std::size_t>(depth) * kIndent, ' ');
  }

  void write_object(const json::object& object, int depth) {
    text_ += '{';
    bool first = true;
    for (const auto& [key, value] : object) {
      if (!first) text_ += ',';
      first = false;
      new_line(depth + 1);
      text_ += json::serialize(json::value(key));
      text_ += indented_ ? ": " : ":";
      write(value, depth + 1);
    }
    if (!first) new_line(depth);
    text_ += '}';
  }

  void write_array(const json::array& array, int depth) {
    const bool one_line = fits_on_one_line(array);
    text_ += '[';
    bool first = true;
    for (const json::value& element : array) {
      if (!first) text_ += one_line && indented_ ? ", " : ",";
      first = false;
      if (!one_line) new_line(depth + 1);
      write(element, depth + 1);
    }
    if (!first && !one_line) new_line(depth);
    text_ += ']';
  }

  void write_double(double number) {
    if (!std::isfinite(number)) {
      text_ += "null";
      return;
    }
    char buffer[40];
    const bool whole = number == std::floor(number) && std::abs(number) < 1e15;
    const auto result = whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<long long>(number))
                              : std::to_chars(buffer, buffer + sizeof buffer, number);
    text_.append(buffer, result.ptr);
  }

  bool indented_;
  std::string text_;
};

std::string written(const json::value& value, bool indented) {
  Writer writer(indented);
  writer.write(value, 0);
  return writer.take();
}

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void write_all(int fd, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      ::close(fd);
      ::unlink(name.c_str());
      errno = error;
      fail("writing " + name);
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// A device or pipe can't be replaced by renaming: write into it.
bool is_special(const std::filesystem::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

std::string json_text(const json::value& value) { return written(value, true) + "\n"; }

std::string json_line(const json::value& value) { return written(value, false); }

json::value read_json_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) throw std::system_error(errno, std::generic_category(), "reading " + file.string());
  const auto size = in.tellg();
  if (size < 0 || static_cast<std::size_t>(size) > kLargestJsonFile)
    throw std::system_error(EFBIG, std::generic_category(), "reading " + file.string());
  std::string text(static_cast<std::size_t>(size), '\0');
  in.seekg(0);
  if (!in.read(text.data(), size))
    throw std::system_error(EIO, std::generic_category(), "reading " + file.string());
  return parse_json(text, file.string());
}

json::value parse_json(std::string_view text, const std::string& source) {
  json::error_code error;
  json::stream_parser parser;
  const std::size_t parsed = parser.write_some(text, error);
  const bool trailing = !error && text.find_first_not_of(" \t\r\n", parsed) != std::string::npos;
  if (!error) parser.finish(error);
  if (error || trailing)
    throw std::runtime_error(source + " is not JSON: " + (trailing ? "extra characters" : error.message()) +
                             " at byte " + std::to_string(parsed));
  return parser.release();
}

void write_text_file(const std::filesystem::path& file, std::string_view text) {
  if (file == "-") {
    std::cout << text << std::flush;
    if (!std::cout) throw std::system_error(EIO, std::generic_category(), "writing to standard output");
    return;
  }
  if (is_special(file)) {
    std::ofstream out(file);
    out << text << std::flush;
    if (!out) throw std::system_error(EIO, std::generic_category(), "writing " + file.string());
    return;
  }
  const std::string temporary = file.string() + ".nasdiag-" + std::to_string(::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) fail("writing " + file.string());
  write_all(fd, text, temporary);
  if (::close(fd) != 0 || ::rename(temporary.c_str(), file.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    errno = error;
    fail("writing " + file.string());
  }
}

}  // namespace nasdiag::report
