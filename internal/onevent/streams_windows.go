package onevent

// Write is an error where the reader is gone.
func (o output) Write(p []byte) (int, error) { return o.file.Write(p) }
