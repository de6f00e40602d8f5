#pragma once

#include <diagnose/evidence/facts.hpp>

#include <boost/json.hpp>

namespace nasdiag::report {

boost::json::object to_json(const evidence::Facts& facts);
evidence::Facts facts_from_json(const boost::json::object& object);

boost::json::object to_json(const evidence::LinkPayload& payload);
evidence::LinkPayload link_payload_from_json(const boost::json::object& object);

}  // namespace nasdiag::report
