#pragma once

#include <diagnose/evidence/evidence.hpp>

#include <boost/json.hpp>

namespace nasdiag::report {

// Written into `report`, beside what else is there, since facts and experiments are its top-level keys.
void put_evidence(boost::json::object& report, const evidence::Evidence& evidence);
evidence::Evidence evidence_from_json(const boost::json::object& report);

}  // namespace nasdiag::report
