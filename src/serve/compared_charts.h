// Charts of two settings in one picture each, for the page: it sends the curves of both, as the
// charts of their answers carry them, and gets figures as markup. Nothing is simulated.
#pragma once

#include "serve/http_server.h"

namespace plimsoll {

/// The body is {"a": [...], "b": [...]}, lists of curves (report/answer/load_curve.h); the answer
/// {"charts": "..."}.
WebResponse compared_charts(const WebRequest& request);

}  // namespace plimsoll
