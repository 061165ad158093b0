package keystroke

import _ "github.com/jezek/xgb"
