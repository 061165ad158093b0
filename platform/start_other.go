//go:build !linux

package platform

// keepDescriptors has nothing to do where Go's own descriptors are the only
// ones that a child could inherit.
func keepDescriptors() error { return nil }
