package commands

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// add puts text at the end of an object or array, the way its other items are written. cut undoes it.
func (d doc) add(v hujson.Value, text string) (doc, error) {
	g := groupOf(v)
	if len(g.items) == 0 {
		return d.fill(v, g, text)
	}
	last := g.items[len(g.items)-1]
	comments := d.raw[last.end : last.end+commentsEnd(d.raw[last.end:g.close])]
	separator := d.separator(g)
	if bytes.HasSuffix(comments, []byte("\n")) {
		separator = strings.TrimPrefix(separator, d.newline())
		text += d.newline()
	}
	return d.replace(last.end, last.end+len(comments), ","+string(comments)+separator+text)
}

// fill puts the first item into an empty object or array, after the comments that may be there.
func (d doc) fill(v hujson.Value, g group, text string) (doc, error) {
	comments := string(d.raw[g.open : g.open+commentsEnd(d.raw[g.open:g.close])])
	outer := d.newline() + d.indent(v.StartOffset)
	inner := outer + d.unit()
	switch {
	case strings.HasSuffix(comments, "\n"):
		text = strings.TrimPrefix(inner, d.newline()) + text + d.newline()
	case comments != "":
		text = " " + text
	case d.expanded():
		return d.replace(g.open, g.close, inner+text+outer)
	default:
		return d.replace(g.open, g.close, text)
	}
	return d.replace(g.open, g.open+len(comments), comments+text)
}

// separator is the white space that the last item has before it.
func (d doc) separator(g group) string {
	last := g.items[len(g.items)-1]
	before := string(d.raw[last.lead:last.start])
	n := commentsEnd([]byte(before))
	comments, space := before[:n], before[n:]
	i := strings.LastIndex(space, "\n")
	switch {
	case i >= 0:
		return d.newline() + space[i+1:]
	case strings.HasSuffix(comments, "\n"):
		return d.newline() + space
	case len(g.items) == 1 && !d.tight():
		return " "
	}
	return space
}

// cut takes an item out, with its comma and its white space. Comments stay.
func (d doc) cut(v hujson.Value, i int) (doc, error) {
	g := groupOf(v)
	it := g.items[i]
	if len(g.items) == 1 && d.alone(g) {
		return d.replace(g.open, g.close, "")
	}
	from := it.lead + commentsEnd(d.raw[it.lead:it.start])
	before, after := d.raw[it.lead:from], d.raw[it.end:g.close]
	if it.comma >= 0 {
		after = slices.Concat(d.raw[it.end:it.comma], d.raw[it.comma+1:g.close])
	}
	if bytes.HasSuffix(before, []byte("\n")) {
		after = cutNewline(after)
	}
	start := it.lead
	if it.comma < 0 && i > 0 {
		start = g.items[i-1].comma
	}
	return d.replace(start, g.close, string(before)+string(after))
}

// alone reports whether there is no comment beside the only item.
func (d doc) alone(g group) bool {
	it := g.items[0]
	after := it.end
	if it.comma >= 0 {
		after = it.comma + 1
	}
	return commentsEnd(d.raw[it.lead:it.start])+commentsEnd(d.raw[it.end:after])+commentsEnd(d.raw[after:g.close]) == 0
}

func cutNewline(b []byte) []byte {
	if rest, ok := bytes.CutPrefix(b, []byte("\r\n")); ok {
		return rest
	}
	return bytes.TrimPrefix(b, []byte("\n"))
}

func (d doc) newline() string {
	if bytes.Contains(d.raw, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// expanded reports whether the file has its values on lines of their own.
func (d doc) expanded() bool {
	return len(members(d.root)) == 0 || bytes.Contains(d.raw[d.root.StartOffset:d.root.EndOffset], []byte("\n"))
}

// tight reports whether the file does without spaces.
func (d doc) tight() bool {
	list := members(d.root)
	return len(list) > 0 && len(list[0].Value.BeforeExtra) == 0
}

// indent is the white space that the line of an offset begins with.
func (d doc) indent(offset int) string {
	line := d.raw[bytes.LastIndexByte(d.raw[:offset], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unit is what one level is indented by.
func (d doc) unit() string {
	if list := members(d.root); len(list) > 0 {
		outer, inner := d.indent(d.root.StartOffset), d.indent(list[0].Name.StartOffset)
		if step, ok := strings.CutPrefix(inner, outer); ok && step != "" {
			return step
		}
	}
	if bytes.Contains(d.raw, []byte("\n\t")) {
		return "\t"
	}
	return "  "
}

func (d doc) member(name string, value string) string {
	if d.tight() {
		return string(hujson.String(name)) + ":" + value
	}
	return string(hujson.String(name)) + ": " + value
}

func (d doc) object(fields []field) string {
	var list []string
	for _, f := range fields {
		list = append(list, d.member(f.name, string(f.value)))
	}
	if d.tight() {
		return "{" + strings.Join(list, ",") + "}"
	}
	return "{ " + strings.Join(list, ", ") + " }"
}
