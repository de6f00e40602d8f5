#pragma once

namespace nasdiag::app {

// Is the descriptor (1, 2) a terminal?
bool is_terminal(int descriptor);

// Columns; 80 where it can't be told.
int terminal_width(int descriptor);

// Colour only on a terminal, not with NO_COLOR set (no-color.org) or TERM=dumb.
bool wants_colour(int descriptor);

}  // namespace nasdiag::app
