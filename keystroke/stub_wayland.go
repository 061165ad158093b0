package keystroke

// Stubs until the real ones take their place.

func newWlCopy(Machine) Injector  { return unbuilt("wl-copy") }
func newWtype(Machine) Injector   { return unbuilt("wtype") }
func newYdotool(Machine) Injector { return unbuilt("ydotool") }
