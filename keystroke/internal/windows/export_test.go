package windows

// What the tests of the way as a whole use of its parts.
var (
	UTF16Base64    = utf16Base64
	SendKeysScript = sendKeysScript
)
