// Package extension has only tests: the editor extension of extension/, its unit
// tests under Node, and the extension in a real VS Code workbench.
package extension
