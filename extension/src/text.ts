// Text that came from a task, an agent or a file, made safe for the place where
// it is shown. Nothing here may turn text into a link, an icon or a control.

// Control characters, and those that reorder or hide text; not what joins letters and emoji.
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const characters = new Intl.Segmenter('en');

// plain is one line without control characters.
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(unseen, '').trim();
}

// head is at most n characters of one line, as people count them.
export function head(text: string, n: number): string {
  const all = Array.from(characters.segment(plain(text.slice(0, n * 20))), (s) => s.segment);
  return all.length <= n ? all.join('') : all.slice(0, n - 1).join('') + '…';
}

// label is for places where $(name) is an icon: quick picks and the status bar.
export function label(text: string, n = 80): string {
  return head(text, n).replace(/\$\(/g, '$ (');
}

// notice is for notifications, where [text](link) is a link, even to a command.
export function notice(text: string, n = 400): string {
  return label(text, n).replace(/\]\(/g, '] (');
}
