package desk

// What the tests of the ways as a whole use of their parts.
var (
	SendKeysScript = sendKeysScript
	UTF16Base64    = utf16Base64
	MacScript      = macScript
)
