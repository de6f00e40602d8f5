// The worker of the tests: their own main() is Catch's.

#include <filebench/worker.hpp>

int main(int argc, char** argv) { return nasdiag::filebench::run_worker_if_asked(argc, argv).value_or(2); }
