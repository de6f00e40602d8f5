#include "nasdiag/net_options.hpp"

#include <measure/quantity_text.hpp>
#include <netbench/sweep.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace nasdiag::app {

namespace {

using netbench::TcpOptions;

constexpr int kIperfPort = 5201;

constexpr Help kHelp{.usage = "nasdiag net HOST[:PORT] [options]",
                     .description =
                         "Measures what TCP reaches to and from an iperf3 server (`iperf3 -s` or `nasdiag "
                         "serve`), and says why\n"
                         "not more. The letters are iperf3's. Without -t, -n or -k it ends as soon as the "
                         "throughput is known\n"
                         "to 3 %, after 10 seconds at the latest.",
                     .examples =
                         "  nasdiag net nas                        write to the NAS\n"
                         "  nasdiag net nas -R -P 4                read from it with four streams\n"
                         "  nasdiag net nas --sweep -R             does one stream reach what several do?\n"
                         "  nasdiag net nas --window-sweep 8k..4M  how large must a TCP window be?\n"
                         "  nasdiag net nas -J -t 10               JSON with iperf3's keys\n"};

using po::bool_switch;
using po::value;

po::options_description options() {
  po::options_description all("Options", 100);
  auto add = all.add_options();
  add("host", value<std::string>(), "where the server runs");
  add("client,c", value<std::string>(), "the same, as iperf3 has it");
  add("port,p", value<int>(), "of the server (default 5201)");
  add("time,t", value<std::string>(), "seconds to measure, all of them");
  add("bytes,n", value<std::string>(), "bytes to move instead of a time");
  add("blockcount,k", value<int>(), "blocks to move instead of a time");
  add("parallel,P", value<int>()->default_value(1), "streams");
  add("reverse,R", bool_switch(), "the server sends (read)");
  add("bidir", bool_switch(), "both directions at once");
  add("bitrate,b", value<std::string>(), "bits per second and stream, such as 100M");
  add("window,w", value<std::string>(), "socket buffers (default: the kernel adapts them)");
  add("length,l", value<std::string>(), "block size");
  add("set-mss,M", value<int>(), "segment size");
  add("no-delay,N", bool_switch(), "TCP_NODELAY");
  add("omit,O", value<std::string>(), "seconds to move but not count at the start");
  add("interval,i", value<std::string>()->default_value("1"), "seconds per row of the table; 0: only sums");
  add("congestion,C", value<std::string>(), "congestion control, at both ends");
  add("zerocopy,Z", bool_switch(), "zero-copy sending at both ends (here it is used anyway where it works)");
  add("no-zerocopy", bool_switch(), "copying sends");
  add("skip-rx-copy", bool_switch(), "drop what arrives in the kernel");
  add("tos,S", value<int>(), "IP type of service");
  add("title,T", value<std::string>(), "shown in the server's log");
  add("version4,4", bool_switch(), "IPv4 only");
  add("version6,6", bool_switch(), "IPv6 only");
  add("bind,B", value<std::string>(), "local address, or address%interface");
  add("bind-dev", value<std::string>(), "local interface");
  add("connect-timeout", value<int>(), "milliseconds");
  add("busy-wait", value<std::string>()->default_value("10"), "seconds to wait for a busy server");
  add("username", value<std::string>(), "for a server that asks; the password is in IPERF3_PASSWORD");
  add("rsa-public-key-path", value<std::string>(), "the server's public key (PEM)");
  add("use-pkcs1-padding", bool_switch(), "for servers before 3.17");
  add("sweep", bool_switch(), "1, 2, 4, 8 streams as long as more bring more");
  add("window-sweep", value<std::string>(), "windows, such as 8k..4M");
  add("path", bool_switch(), "only look at the way: addresses, gateway, MTU, hops");
  add("no-rtt-probe", bool_switch(), "no round-trip probe beside the streams");
  add("iperf3-json,J", bool_switch(), "print JSON with iperf3's keys, and nothing else");
  add("json", value<std::string>()->default_value(""), "save the same to a file (-: stdout, and only that)");
  return all;
}

[[noreturn]] void refuse(const std::string& option, const std::string& text, const char* wanted) {
  throw UsageError("--" + option + " '" + text + "' is not " + wanted);
}

class Reader {
 public:
  explicit Reader(const po::variables_map& values) : values_(values) {}

  bool flag(const char* name) const { return values_[name].as<bool>(); }
  bool has(const char* name) const { return values_.count(name) != 0; }
  std::optional<std::string> text(const char* name) const {
    return has(name) ? std::optional(values_[name].as<std::string>()) : std::nullopt;
  }
  std::optional<int> number(const char* name) const {
    return has(name) ? std::optional(values_[name].as<int>()) : std::nullopt;
  }
  std::optional<measure::ByteCount> amount(const char* name) const {
    const auto given = text(name);
    if (!given) return std::nullopt;
    const auto parsed = measure::parse_byte_count(*given);
    if (!parsed || parsed->bytes() <= 0) refuse(name, *given, "an amount of bytes such as 128k or 2M");
    return parsed;
  }
  std::optional<std::chrono::milliseconds> duration(const char* name) const {
    const auto given = text(name);
    if (!given) return std::nullopt;
    const auto parsed = measure::parse_duration(*given);
    if (!parsed) refuse(name, *given, "a time such as 10 or 500ms");
    return parsed;
  }
  std::optional<measure::DataRate> rate(const char* name) const {
    const auto given = text(name);
    if (!given || *given == "0") return std::nullopt;
    const auto parsed = measure::parse_data_rate(*given);
    if (!parsed || parsed->bits_per_second() <= 0) refuse(name, *given, "a rate such as 100M");
    return parsed;
  }

 private:
  const po::variables_map& values_;
};

std::string read_file(const std::string& name) {
  std::ifstream in(name);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw UsageError("the key file " + name + " can't be read");
  return text.str();
}

void set_host(const Reader& in, TcpOptions& options) {
  const auto host = in.has("host") ? in.text("host") : in.text("client");
  if (!host) throw UsageError("no host was given\nUsage: " + std::string(kHelp.usage));
  const HostPort server = parse_host_port(*host, in.number("port").value_or(kIperfPort));
  if (server.port < 1 || server.port > 65535) throw UsageError("--port must be 1 to 65535");
  options.host = server.host;
  options.port = static_cast<std::uint16_t>(server.port);
}

void set_length_of_test(const Reader& in, TcpOptions& options) {
  const int given = (in.has("time") ? 1 : 0) + (in.has("bytes") ? 1 : 0) + (in.has("blockcount") ? 1 : 0);
  if (given > 1) throw UsageError("give only one of --time, --bytes and --blockcount");
  if (given == 0) options.precision = measure::StopRule{};
  if (const auto time = in.duration("time")) options.time = *time;
  options.amount = in.amount("bytes");
  if (const auto blocks = in.number("blockcount")) options.blocks = *blocks;
  if (options.amount || options.blocks) options.time = std::chrono::milliseconds(0);
  options.omit = in.duration("omit").value_or(std::chrono::milliseconds(0));
}

void set_flow(const Reader& in, TcpOptions& options) {
  if (in.flag("reverse") && in.flag("bidir")) throw UsageError("give only one of --reverse and --bidir");
  if (in.flag("reverse")) options.flow = netbench::Flow::read;
  if (in.flag("bidir")) options.flow = netbench::Flow::both;
  options.streams = *in.number("parallel");
  options.rate = in.rate("bitrate");
  options.window = in.amount("window");
  options.block_size = in.amount("length");
  options.segment_size = in.number("set-mss");
  options.type_of_service = in.number("tos");
  options.congestion = in.text("congestion");
  options.title = in.text("title").value_or("");
  if (in.flag("no-delay")) options.nagle = netbench::Nagle::off;
  if (in.flag("zerocopy") && in.flag("no-zerocopy"))
    throw UsageError("give only one of --zerocopy and --no-zerocopy");
  if (in.flag("zerocopy")) options.zero_copy = netbench::ZeroCopy::on;
  if (in.flag("no-zerocopy")) options.zero_copy = netbench::ZeroCopy::off;
  if (in.flag("skip-rx-copy")) options.receive = netbench::Receive::discard;
}

void set_origin(const Reader& in, TcpOptions& options) {
  if (in.flag("version4") && in.flag("version6")) throw UsageError("give only one of -4 and -6");
  if (in.flag("version4")) options.family = netbench::AddressFamily::ipv4;
  if (in.flag("version6")) options.family = netbench::AddressFamily::ipv6;
  options.bind_address = in.text("bind").value_or("");
  options.bind_interface = in.text("bind-dev").value_or("");
  const auto percent = options.bind_address.find('%');
  if (percent != std::string::npos && !options.bind_address.starts_with("fe80")) {
    options.bind_interface = options.bind_address.substr(percent + 1);
    options.bind_address.resize(percent);
  }
  if (const auto timeout = in.number("connect-timeout"))
    options.connect_timeout = std::chrono::milliseconds(*timeout);
  options.busy_wait = *in.duration("busy-wait");
  options.rtt_probe = in.flag("no-rtt-probe") ? netbench::RttProbe::off : netbench::RttProbe::on;
}

void set_credentials(const Reader& in, TcpOptions& options) {
  const auto user = in.text("username");
  const auto key = in.text("rsa-public-key-path");
  if (!user && !key) return;
  const char* password = std::getenv("IPERF3_PASSWORD");
  if (!user || !key || password == nullptr) {
    throw UsageError("a login needs --username, --rsa-public-key-path and the password in IPERF3_PASSWORD");
  }
  options.credentials = netbench::Credentials{
      .user = *user,
      .password = password,
      .public_key_pem = read_file(*key),
      .padding = in.flag("use-pkcs1-padding") ? netbench::Padding::pkcs1 : netbench::Padding::oaep};
}

}  // namespace

NetRequest parse_net_request(const std::vector<std::string>& arguments) {
  po::positional_options_description positional;
  positional.add("host", 1);
  const auto parsed = parse_options(arguments, options(), positional, kHelp);
  NetRequest request;
  if (parsed.help_shown) {
    request.help_shown = true;
    return request;
  }
  const Reader in(parsed.values);
  set_host(in, request.options);
  set_length_of_test(in, request.options);
  set_flow(in, request.options);
  set_origin(in, request.options);
  set_credentials(in, request.options);
  request.interval = *in.duration("interval");
  const std::string json_file = *in.text("json");
  request.json_to_stdout = in.flag("iperf3-json") || json_file == "-";
  if (json_file != "-") request.json_file = json_file;
  request.stream_sweep = in.flag("sweep");
  request.path_only = in.flag("path");
  if (const auto range = in.text("window-sweep")) {
    request.window_sweep = netbench::parse_window_range(*range);
    if (!request.window_sweep) refuse("window-sweep", *range, "a range such as 8k..4M");
  }
  if ((request.stream_sweep || request.window_sweep) && request.options.flow == netbench::Flow::both) {
    throw UsageError("a sweep measures one direction: leave --bidir out");
  }
  return request;
}

}  // namespace nasdiag::app
