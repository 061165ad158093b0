-- What cursor-ralph has System Events do to type one line into Cursor.
-- All that differs comes as arguments: a verb, a process, and more.
-- The variables have "the" in front, for title, front and others are words of
-- System Events or of the language.

on run argv
	set theVerb to item 1 of argv
	if theVerb is "front" then return frontWindow()
	set thePid to (item 2 of argv) as integer
	if theVerb is "windows" then return titlesOf(thePid)
	set theTitle to item 3 of argv
	if theVerb is "activate" then return bringToFront(thePid, theTitle)
	if theVerb is "press" then return pressKey(thePid, theTitle, (item 4 of argv) as integer, item 5 of argv)
	error "there is no verb " & theVerb
end run

-- The process and the title of the window that has the focus, whoever's it is. A dialog does not count: Return would confirm it.
on frontWindow()
	set theEnd to character id 30
	tell application "System Events"
		set theFront to first application process whose frontmost is true
		set theFocused to value of attribute "AXFocusedWindow" of theFront
		if theFocused is missing value then return ""
		if (subrole of theFocused) is not "AXStandardWindow" then return ""
		set theName to name of theFocused
		if theName is missing value then set theName to ""
		return ((unix id of theFront) as text) & theEnd & theName
	end tell
end frontWindow

-- The titles of the process's windows, each with a character after it that no title has.
-- System Events does not know a program of the same name without windows.
on titlesOf(thePid)
	set theTitles to ""
	set theEnd to character id 30
	tell application "System Events"
		if not (exists (first application process whose unix id is thePid)) then return ""
		set theEditor to first application process whose unix id is thePid
		repeat with eachWindow in (every window of theEditor whose subrole is "AXStandardWindow")
			set theTitles to theTitles & (name of eachWindow) & theEnd
		end repeat
	end tell
	return theTitles
end titlesOf

-- An empty title stands for the only window there is.
on inFront(thePid, theTitle)
	tell application "System Events"
		set theEditor to first application process whose unix id is thePid
		if not (frontmost of theEditor) then return "no"
		set theFocused to value of attribute "AXFocusedWindow" of theEditor
		if theFocused is missing value then return "no"
		if (subrole of theFocused) is not "AXStandardWindow" then return "no"
		if theTitle is "" then return "yes"
		considering case
			if (name of theFocused) is theTitle then return "yes"
		end considering
	end tell
	return "no"
end inFront

on bringToFront(thePid, theTitle)
	tell application "System Events"
		set theEditor to first application process whose unix id is thePid
		if theTitle is "" then
			set theWindow to first window of theEditor whose subrole is "AXStandardWindow"
		else
			set theWindow to first window of theEditor whose name is theTitle
		end if
		if value of attribute "AXMinimized" of theWindow then set value of attribute "AXMinimized" of theWindow to false
		perform action "AXRaise" of theWindow
		set frontmost of theEditor to true
	end tell
	return "asked"
end bringToFront

-- The focus is looked at once more, right before the key.
on pressKey(thePid, theTitle, theCode, theModifiers)
	if inFront(thePid, theTitle) is "no" then return "lost"
	tell application "System Events"
		set theKeys to {}
		if theModifiers contains "command" then set end of theKeys to command down
		if theModifiers contains "control" then set end of theKeys to control down
		if theModifiers contains "option" then set end of theKeys to option down
		if theModifiers contains "shift" then set end of theKeys to shift down
		key code theCode using theKeys
	end tell
	return "pressed"
end pressKey
