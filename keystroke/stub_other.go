package keystroke

// Stubs until the real ones take their place.

func newOsascript(Machine) Injector   { return unbuilt("osascript") }
func newSendInput(Machine) Injector   { return unbuilt("sendinput") }
func newSendKeys(Machine) Injector    { return unbuilt("sendkeys") }
func newSendKeysWSL(Machine) Injector { return unbuilt("sendkeys-wsl") }
