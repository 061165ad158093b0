package keystroke

// Stubs until the real ones take their place.

func newXTEST(Machine) Injector   { return unbuilt("xtest") }
func newRobotgo(Machine) Injector { return unbuilt("robotgo") }
func newXdotool(Machine) Injector { return unbuilt("xdotool") }
