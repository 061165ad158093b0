package desk

// User32 calls a function of user32.dll.
//
//go:uintptrescapes
func User32(name string, args ...uintptr) (uintptr, error) { return user32(name, args...) }
