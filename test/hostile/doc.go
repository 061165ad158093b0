// Package hostile has no code of its own: its tests play those who mean harm.
// Another user of the machine, the words of a task or of an agent, and a
// repository that came from somebody else are tried on the real programs.
package hostile
