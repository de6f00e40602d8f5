#pragma once

// Values to bytes and back, between two processes that run the same program. Not a format to keep.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nasdiag::filebench {

// A type that is not trivially copyable has a function visit(archive, value) that names its members:
//   template <class Archive> void visit(Archive& archive, T& value) { archive(value.a, value.b); }
class Packer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      visit(*this, const_cast<T&>(value));  // visit only names the members
    }
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_.append(text);
  }
  void put(const std::filesystem::path& path) { put(path.string()); }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  template <class T>
  requires(!std::is_trivially_copyable_v<T>) void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }

  std::string bytes_;
};

// Throws std::length_error if the bytes end too early.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

 private:
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw std::length_error("truncated message between processes");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      std::memcpy(static_cast<void*>(&value), take(sizeof value).data(), sizeof value);
    } else {
      visit(*this, value);
    }
  }
  void get(std::string& text) {
    std::size_t size = 0;
    get(size);
    text = take(size);
  }
  void get(std::filesystem::path& path) {
    std::string text;
    get(text);
    path = text;
  }
  template <class T>
  void get(std::vector<T>& values) {
    std::size_t size = 0;
    get(size);
    if (size > rest_.size()) throw std::length_error("truncated message between processes");
    values.resize(size);
    for (T& value : values) get(value);
  }
  template <class T>
  requires(!std::is_trivially_copyable_v<T>) void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    if (present) get(value.emplace());
  }

  std::string_view rest_;
};

template <class T>
std::string packed(const T& value) {
  Packer packer;
  packer(value);
  return packer.bytes();
}

template <class T>
T unpacked(std::string_view bytes) {
  T value;
  Unpacker unpacker(bytes);
  unpacker(value);
  return value;
}

}  // namespace nasdiag::filebench
