package keystroke

// passwordLost is told of a clipboard that a password manager has marked. What
// can be put back is text without its mark, by which histories of the clipboard
// would keep it: so it is not put back.
const passwordLost = "what had been copied is marked as a password and was not put back"
