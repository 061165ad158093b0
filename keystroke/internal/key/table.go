package key

// Key is a key of a us keyboard with its codes on each system.
type Key struct {
	Name    string // as in a Chord; for punctuation its character
	Shifted byte   // the character with Shift; 0 for none
	Sym     uint32 // X11 keysym; source: X11/keysymdef.h
	Code    int    // evdev code; source: linux/input-event-codes.h
	VK      uint16 // Windows virtual key, 0 for none; source: Microsoft, "Virtual-Key Codes"
	Mac     int    // macOS key code, -1 for none; source: Apple, HIToolbox, Events.h, kVK_ANSI_A and following
}

const none = -1

// table has the keys that a chord may have, then those that a line may need too.
var table = []Key{
	{"1", '!', 0x31, 2, 0x31, 18},
	{"2", '@', 0x32, 3, 0x32, 19},
	{"3", '#', 0x33, 4, 0x33, 20},
	{"4", '$', 0x34, 5, 0x34, 21},
	{"5", '%', 0x35, 6, 0x35, 23},
	{"6", '^', 0x36, 7, 0x36, 22},
	{"7", '&', 0x37, 8, 0x37, 26},
	{"8", '*', 0x38, 9, 0x38, 28},
	{"9", '(', 0x39, 10, 0x39, 25},
	{"0", ')', 0x30, 11, 0x30, 29},
	{"q", 'Q', 0x71, 16, 0x51, 12},
	{"w", 'W', 0x77, 17, 0x57, 13},
	{"e", 'E', 0x65, 18, 0x45, 14},
	{"r", 'R', 0x72, 19, 0x52, 15},
	{"t", 'T', 0x74, 20, 0x54, 17},
	{"y", 'Y', 0x79, 21, 0x59, 16},
	{"u", 'U', 0x75, 22, 0x55, 32},
	{"i", 'I', 0x69, 23, 0x49, 34},
	{"o", 'O', 0x6f, 24, 0x4F, 31},
	{"p", 'P', 0x70, 25, 0x50, 35},
	{"a", 'A', 0x61, 30, 0x41, 0},
	{"s", 'S', 0x73, 31, 0x53, 1},
	{"d", 'D', 0x64, 32, 0x44, 2},
	{"f", 'F', 0x66, 33, 0x46, 3},
	{"g", 'G', 0x67, 34, 0x47, 5},
	{"h", 'H', 0x68, 35, 0x48, 4},
	{"j", 'J', 0x6a, 36, 0x4A, 38},
	{"k", 'K', 0x6b, 37, 0x4B, 40},
	{"l", 'L', 0x6c, 38, 0x4C, 37},
	{"z", 'Z', 0x7a, 44, 0x5A, 6},
	{"x", 'X', 0x78, 45, 0x58, 7},
	{"c", 'C', 0x63, 46, 0x43, 8},
	{"v", 'V', 0x76, 47, 0x56, 9},
	{"b", 'B', 0x62, 48, 0x42, 11},
	{"n", 'N', 0x6e, 49, 0x4E, 45},
	{"m", 'M', 0x6d, 50, 0x4D, 46},
	{"f1", 0, 0xffbe, 59, 0x70, 122},
	{"f2", 0, 0xffbf, 60, 0x71, 120},
	{"f3", 0, 0xffc0, 61, 0x72, 99},
	{"f4", 0, 0xffc1, 62, 0x73, 118},
	{"f5", 0, 0xffc2, 63, 0x74, 96},
	{"f6", 0, 0xffc3, 64, 0x75, 97},
	{"f7", 0, 0xffc4, 65, 0x76, 98},
	{"f8", 0, 0xffc5, 66, 0x77, 100},
	{"f9", 0, 0xffc6, 67, 0x78, 101},
	{"f10", 0, 0xffc7, 68, 0x79, 109},
	{"f11", 0, 0xffc8, 87, 0x7A, 103},
	{"f12", 0, 0xffc9, 88, 0x7B, 111},
	{"return", 0, 0xff0d, 28, 0x0D, 36},
	{"insert", 0, 0xff63, 110, 0x2D, none},

	{"-", '_', 0x2d, 12, 0, none},
	{"=", '+', 0x3d, 13, 0, none},
	{"[", '{', 0x5b, 26, 0, none},
	{"]", '}', 0x5d, 27, 0, none},
	{";", ':', 0x3b, 39, 0, none},
	{"'", '"', 0x27, 40, 0, none},
	{"`", '~', 0x60, 41, 0, none},
	{`\`, '|', 0x5c, 43, 0, none},
	{",", '<', 0x2c, 51, 0, none},
	{".", '>', 0x2e, 52, 0, none},
	{"/", '?', 0x2f, 53, 0, none},
	{" ", ' ', 0x20, 57, 0, none},
}

// Modifier is a key that is held while another is pressed. There is one on each
// side of the keyboard.
type Modifier struct {
	Name    string    // as in a Chord, and for robotgo
	Sym     uint32    // X11 keysym of the left one; the right one follows it
	Code    int       // evdev code of the left one
	VK      [2]uint16 // Windows virtual keys, left and right
	Mac     string    // for System Events
	Wtype   string    // for wtype
	Ydotool string    // for ydotool 0.1.x
}

// modifiers are all modifiers of a Chord, in the order in which they are pressed.
var modifiers = []Modifier{
	{"ctrl", 0xffe3, 29, [2]uint16{0xA2, 0xA3}, "control", "ctrl", "ctrl"},
	{"shift", 0xffe1, 42, [2]uint16{0xA0, 0xA1}, "shift", "shift", "shift"},
	{"alt", 0xffe9, 56, [2]uint16{0xA4, 0xA5}, "option", "alt", "alt"},
	{"cmd", 0xffeb, 125, [2]uint16{0x5B, 0x5C}, "command", "logo", "super"},
}

// Find returns the key of a name.
func Find(name string) (Key, bool) {
	for _, k := range table {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// Types returns the key that types a printable ASCII character on a us keyboard,
// with Shift or without.
func Types(char byte) (Key, bool) {
	for _, k := range table {
		if k.Name == string(char) || k.Shifted == char {
			return k, true
		}
	}
	return Key{}, false
}

// Modifiers returns the modifiers that a chord can have, in the order in which
// they are pressed.
func Modifiers() []Modifier { return modifiers }
