#include <diagnose/formats/pasted_words.hpp>
#include <measure/quantity_text.hpp>
#include <measure/summary.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

// iperf 2 and 3 print rows of "id begin-end sec amount unit rate unit …"; a run is a command or a "Connecting
// to" line and the rows after it.

namespace nasdiag::formats {

namespace {

using measure::DataRate;
using measure::Direction;
using measure::Seconds;
using measure::Severity;

enum class Role { interval, sender, receiver };

struct Row {
  std::string id;
  double begin = 0;
  double end = 0;
  double bytes = 0;
  double bits_per_second = 0;
  std::optional<std::int64_t> retransmits;
  Role role = Role::interval;

  bool is_sum() const { return id.find("SUM") != std::string::npos; }
  double length() const { return end - begin; }
};

struct Run {
  PastedFigure figure;
  std::vector<Row> rows;
  std::optional<std::int64_t> port;  // asked for by -p
  bool has_command = false;
  bool is_server = false;
  bool reverse = false;
  bool both_ways = false;
  bool udp = false;
  bool sides_swapped = false;  // the rows were printed by the other machine than the command says
  std::set<std::string> odd_ids;
};

std::optional<double> rate_unit(std::string_view unit) {
  for (const auto& [name, factor] :
       std::initializer_list<std::pair<std::string_view, double>>{{"bits/sec", 1},
                                                                  {"Kbits/sec", 1e3},
                                                                  {"Mbits/sec", 1e6},
                                                                  {"Gbits/sec", 1e9},
                                                                  {"Tbits/sec", 1e12},
                                                                  {"Bytes/sec", 8},
                                                                  {"KBytes/sec", 8 * 1024.0},
                                                                  {"MBytes/sec", 8 * 1048576.0},
                                                                  {"GBytes/sec", 8 * 1073741824.0}})
    if (unit.starts_with(name)) return factor;  // what follows may be glued on
  return std::nullopt;
}

struct Interval {
  double begin = 0;
  double end = 0;
  std::size_t first_word = 0;
};

// "0.00-1.00" or "0.0-" "1.0", its last word at `i`.
std::optional<Interval> interval_at(const PastedWords& words, std::size_t i) {
  std::string whole(words[i]);
  std::size_t first = i;
  if (whole.find('-') == std::string::npos && i > 0) {
    whole = std::string(words[i - 1]) + whole;
    first = i - 1;
  }
  const auto dash = whole.find('-');
  if (dash == std::string::npos) return std::nullopt;
  const auto begin = number_of(std::string_view(whole).substr(0, dash));
  const auto end = number_of(std::string_view(whole).substr(dash + 1));
  if (!begin || !end || *end <= *begin) return std::nullopt;
  return Interval{*begin, *end, first};
}

std::string stream_id(std::string_view word) {
  std::string id;
  for (const char c : word)
    if (c != '[' && c != ']') id += c;
  return id;
}

bool begins_a_row(const PastedWords& words, std::size_t i) {
  return interval_at(words, i + 1) && words[i + 2] == "sec";
}

// What follows the rate: retransmits, and who says it.
void read_row_end(const PastedWords& words, std::size_t i, Row& row) {
  if (const auto count = integer_of(words[i]); count && !begins_a_row(words, i) && words[i + 1] != "ms") {
    row.retransmits = count;
    ++i;
  }
  if (words[i].starts_with("sender")) row.role = Role::sender;
  if (words[i].starts_with("receiver")) row.role = Role::receiver;
}

// The row whose word "sec" is at `i`.
std::optional<Row> row_at(const PastedWords& words, std::size_t i) {
  if (words[i] != "sec" || i == 0) return std::nullopt;
  const auto interval = interval_at(words, i - 1);
  const auto amount = number_of(words[i + 1]);
  const auto amount_unit = binary_bytes_of(words[i + 2]);
  const auto rate = number_of(words[i + 3]);
  const auto unit = rate_unit(words[i + 4]);
  if (!interval || !amount || !amount_unit || !rate || !unit) return std::nullopt;
  Row row{.begin = interval->begin,
          .end = interval->end,
          .bytes = *amount * *amount_unit,
          .bits_per_second = *rate * *unit};
  if (interval->first_word > 0) row.id = stream_id(words[interval->first_word - 1]);
  read_row_end(words, i + 5, row);
  return row;
}

bool is_number(const std::string& id) {
  return !id.empty() &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_known_id(const std::string& id) {
  return is_number(id) || id.find("SUM") != std::string::npos || id.find("X-") != std::string::npos;
}

// "4sa" is stream 4 with a slip of the hand.
std::string without_slip(const std::string& id) {
  const auto end = std::find_if(id.begin(), id.end(), [](unsigned char c) { return std::isdigit(c) == 0; });
  return {id.begin(), end};
}

bool is_iperf_command(std::string_view word) {
  return word == "iperf3" || word == "iperf" || word.ends_with(">iperf") || word.ends_with(">iperf3") ||
         word.ends_with("iperf.exe") || word.ends_with("iperf3.exe") || word.ends_with("/iperf3");
}

std::optional<std::int64_t> option_number(const PastedWords& words, std::size_t i, std::string_view letter,
                                          std::string_view name) {
  for (const std::string_view spelling : {letter, name})
    if (const auto value = option_value(words, i, spelling)) return integer_of(*value);
  if (words[i].starts_with(letter) && !words[i].starts_with("--"))
    return integer_of(words[i].substr(letter.size()));
  return std::nullopt;
}

void read_option(const PastedWords& words, std::size_t i, Run& run) {
  const std::string_view word = words[i];
  if (word == "-s" || word == "--server") run.is_server = true;
  if (word == "-R" || word == "--reverse") run.reverse = true;
  if (word == "--bidir" || word == "-d") run.both_ways = true;
  if (word == "-u" || word == "--udp") run.udp = true;
  if (const auto server = option_value(words, i, "-c")) run.figure.peer = *server;
  if (const auto server = option_value(words, i, "--client")) run.figure.peer = *server;
  if (const auto port = option_number(words, i, "-p", "--port")) run.port = port;
  if (const auto streams = option_number(words, i, "-P", "--parallel");
      streams && *streams > 0 && *streams <= 128)
    run.figure.streams = static_cast<int>(*streams);
  for (const std::string_view spelling : {"-w", "--window"})
    if (const auto window = option_value(words, i, spelling))
      run.figure.window = measure::parse_byte_count(*window);
}

// The run that a command at word `i` begins; its options may go on in the next line.
Run run_of_command(PastedWords& words, std::size_t i) {
  constexpr std::size_t kMostOptions = 40;
  Run run;
  run.has_command = true;
  run.figure.tool =
      words[i].find("iperf3") != std::string_view::npos ? PastedTool::iperf3 : PastedTool::iperf2;
  run.figure.host = prompt_host(words, i);
  run.figure.line = words.line_of(i);
  for (std::size_t j = i + 1; j < i + kMostOptions && j < words.size(); ++j) {
    if (words[j].starts_with("---") || words[j].starts_with('[') || words[j] == "Connecting" ||
        words[j] == "Client" || is_iperf_command(words[j]))
      break;
    read_option(words, j, run);
    if (words[j].starts_with('-')) words.mark_read(j);
  }
  return run;
}

bool is_server_port(const Run& run, std::int64_t port) {
  return port == run.port.value_or(5201) || port == 5001;
}

// "local 192.0.2.1 port 5201 connected …": the text was printed by the server.
void read_local_port(const PastedWords& words, std::size_t i, Run& run) {
  run.figure.local_address = words[i + 1];
  if (words[i + 4] == "connected") run.figure.peer_address = words[i + 6];
  const auto port = integer_of(words[i + 3]);
  if (words[i + 2] != "port" || !port || !is_server_port(run, *port)) return;
  run.sides_swapped = run.has_command && !run.is_server;
  run.is_server = run.is_server || !run.has_command;
}

void read_window(PastedWords& words, std::size_t i, Run& run) {
  const auto number = number_of(words[i + 3]);
  const auto unit = binary_bytes_of(words[i + 4]);
  if (words[i + 1] != "window" || words[i + 2] != "size:" || !number || !unit) return;
  // What was got; where it is what was asked for, that is the exact figure.
  const double got = *number * *unit;
  const auto& asked = run.figure.window;
  const double off = asked ? std::abs(got / static_cast<double>(asked->bytes()) - 1) : 1;
  constexpr double kRounding = 0.5;
  if (off >= kRounding) run.figure.window = measure::ByteCount::bytes(std::llround(got));
  words.mark_read(i);
}

std::vector<Run> runs_of(PastedWords& words) {
  std::vector<Run> runs;
  const auto begin_run = [&](PastedTool tool, std::size_t i) -> Run& {
    if (runs.empty() || !runs.back().rows.empty() || (runs.back().is_server && runs.back().has_command)) {
      runs.emplace_back();
      runs.back().figure.tool = tool;
      runs.back().figure.line = words.line_of(i);
    }
    return runs.back();
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_iperf_command(words[i]) && words[i + 1].starts_with('-')) runs.push_back(run_of_command(words, i));
    if (words[i] == "Connecting" && words[i + 1] == "to" && words[i + 2] == "host")
      begin_run(PastedTool::iperf3, i).figure.peer = words[i + 3].substr(0, words[i + 3].find(','));
    if (words[i] == "Client" && words[i + 1] == "connecting" && words[i + 2] == "to")
      begin_run(PastedTool::iperf2, i).figure.peer = words[i + 3].substr(0, words[i + 3].find(','));
    const auto row = row_at(words, i);
    if (row && runs.empty()) begin_run(PastedTool::iperf3, i);
    if (runs.empty()) continue;
    Run& run = runs.back();
    if (words[i] == "Reverse" && words[i + 1] == "mode,") run.reverse = true;
    if (words[i] == "TCP") read_window(words, i, run);
    if (words[i] == "local") read_local_port(words, i, run);
    if (!row) continue;
    words.mark_read(i);
    run.rows.push_back(*row);
    if (!is_known_id(row->id)) {
      run.odd_ids.insert(row->id);
      run.rows.back().id = without_slip(row->id);
    }
  }
  return runs;
}

double usual_length(const std::vector<Row>& rows) {
  std::vector<double> lengths;
  for (const Row& row : rows) lengths.push_back(row.length());
  return measure::quantile(lengths, 0.5);
}

// Rows over the whole run: those that say sender or receiver; iperf 2's and old servers' begin at 0 and are
// long.
std::vector<Row> closing_rows(const std::vector<Row>& rows) {
  std::vector<Row> closing;
  for (const Row& row : rows)
    if (row.role != Role::interval) closing.push_back(row);
  if (!closing.empty() || rows.empty()) return closing;
  double last_end = 0;
  for (const Row& row : rows) last_end = std::max(last_end, row.end);
  const double usual = usual_length(rows);
  for (const Row& row : rows)
    if (row.begin == 0 && row.end >= last_end - 0.05 && (row.length() > 1.5 * usual || rows.size() == 1))
      closing.push_back(row);
  return closing;
}

std::vector<Row> interval_rows(const std::vector<Row>& rows, const std::vector<Row>& closing) {
  std::vector<Row> intervals;
  for (const Row& row : rows) {
    const bool closes =
        row.role != Role::interval || std::any_of(closing.begin(), closing.end(), [&](const Row& other) {
          return other.begin == row.begin && other.end == row.end && other.id == row.id;
        });
    if (!closes) intervals.push_back(row);
  }
  return intervals;
}

// The sum rows if there are any, else all: then one per stream.
std::vector<Row> summed(const std::vector<Row>& rows) {
  std::vector<Row> sums;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(sums),
               [](const Row& row) { return row.is_sum(); });
  return sums.empty() ? rows : sums;
}

std::vector<Row> with_role(const std::vector<Row>& rows, Role role) {
  std::vector<Row> result;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(result),
               [&](const Row& row) { return row.role == role; });
  return result;
}

int stream_count(const std::vector<Row>& rows) {
  std::set<std::string> ids;
  for (const Row& row : rows)
    if (!row.is_sum() && !row.id.empty()) ids.insert(row.id);
  return static_cast<int>(std::max<std::size_t>(1, ids.size()));
}

measure::SampleSeries samples_of(const std::vector<Row>& intervals) {
  measure::SampleSeries samples;
  for (const Row& row : summed(intervals)) {
    const auto amount = measure::ByteCount::bytes(std::llround(row.bytes));
    const bool same_interval = !samples.empty() && std::abs(samples.back().start.count() - row.begin) < 1e-9;
    if (same_interval)
      samples.back().amount += amount;
    else
      samples.push_back({.start = Seconds(row.begin), .length = Seconds(row.length()), .amount = amount});
  }
  return samples;
}

void set_closing_figures(const std::vector<Row>& closing, PastedFigure& figure) {
  std::vector<Row> received = summed(with_role(closing, Role::receiver));
  if (received.empty()) received = summed(with_role(closing, Role::sender));
  if (received.empty()) received = summed(closing);
  double bits = 0;
  double bytes = 0;
  double seconds = 0;
  for (const Row& row : received) {
    bits += row.bits_per_second;
    bytes += row.bytes;
    seconds = std::max(seconds, row.length());
  }
  figure.rate = DataRate::bits_per_second(bits);
  figure.amount = measure::ByteCount::bytes(std::llround(bytes));
  figure.duration = Seconds(seconds);
  for (const Row& row : summed(with_role(closing, Role::sender)))
    if (row.retransmits) figure.retransmits = figure.retransmits.value_or(0) + *row.retransmits;
}

void set_figures_of_intervals(PastedFigure& figure) {
  if (figure.samples.empty()) return;
  figure.rate = measure::mean_rate(figure.samples);
  figure.amount = measure::total(figure.samples);
  figure.duration = measure::duration(figure.samples);
  figure.notes.push_back(
      {"end-missing", Severity::warning,
       "The end of this run is missing; the rate is the mean of the intervals that are there."});
}

void note_what_is_odd(const Run& run, PastedFigure& figure) {
  for (const std::string& id : run.odd_ids)
    figure.notes.push_back(
        {"odd-stream-id", Severity::info,
         "A row has the stream number \"" + id + "\", which is none; it was counted with the rest."});
  if (run.sides_swapped)
    figure.notes.push_back(
        {"direction-contradicted", Severity::warning,
         "The command is the client's, but the local port is the server's: which way the data went "
         "can't be told from this text."});
  if (run.udp)
    figure.notes.push_back(
        {"udp-target-rate", Severity::warning,
         "A UDP test sends at the rate it was told to; it is no capacity of the network."});
  if (run.is_server)
    figure.notes.push_back(
        {"printed-by-server", Severity::info,
         "This was printed by the iperf server; if that is the NAS, its side of the test is seen."});
}

std::optional<Direction> direction_of(const Run& run) {
  if (run.sides_swapped) return std::nullopt;
  return run.reverse ? Direction::read : Direction::write;
}

PastedFigure figure_of(const Run& run, const std::vector<Row>& rows, std::optional<Direction> direction) {
  PastedFigure figure = run.figure;
  figure.subject = PastedSubject::tcp;
  figure.direction = direction;
  figure.streams = std::max(figure.streams, stream_count(rows));
  const std::vector<Row> closing = closing_rows(rows);
  figure.samples = samples_of(interval_rows(rows, closing));
  if (closing.empty())
    set_figures_of_intervals(figure);
  else
    set_closing_figures(closing, figure);
  note_what_is_odd(run, figure);
  return figure;
}

std::vector<Row> rows_of_way(const std::vector<Row>& rows, std::string_view mark) {
  std::vector<Row> result;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(result),
               [&](const Row& row) { return row.id.find(mark) != std::string::npos; });
  return result;
}

void add_figures(const Run& run, PastedText& result) {
  const std::vector<Row> sent = rows_of_way(run.rows, "TX-");
  const std::vector<Row> received = rows_of_way(run.rows, "RX-");
  if (sent.empty() && received.empty()) {
    result.figures.push_back(figure_of(run, run.rows, direction_of(run)));
    return;
  }
  if (!sent.empty()) result.figures.push_back(figure_of(run, sent, Direction::write));
  if (!received.empty()) result.figures.push_back(figure_of(run, received, Direction::read));
}

}  // namespace

void read_iperf(PastedWords& words, PastedText& result) {
  for (const Run& run : runs_of(words))
    if (!run.rows.empty()) add_figures(run, result);
}

}  // namespace nasdiag::formats
