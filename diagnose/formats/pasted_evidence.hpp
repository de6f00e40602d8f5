#pragma once

// Pasted figures as evidence, so that the verdict can be asked about them. A pure function.

#include <diagnose/evidence/evidence.hpp>
#include <diagnose/formats/pasted_text.hpp>

namespace nasdiag::formats {

// Adds an experiment for each figure that can be one: iperf as TCP with one or several streams, copies and dd
// over a share as file jobs, dd and fio on a disk as the client's disk unless a prompt shows the machine to
// be the iperf server. The first figure of a kind and direction counts. Whatever is left out gets a note in
// `evidence.notes` that says why: an unknown direction, a rate from before the flush, a time without a size,
// a second figure of its kind.
void add_pasted_figures(const PastedText& text, evidence::Evidence& evidence);

}  // namespace nasdiag::formats
