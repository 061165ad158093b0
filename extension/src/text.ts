// Text that came from a task, an agent or a file, made safe for the place where
// it is shown. Nothing here may turn text into a link, an icon or a control.

// Control characters, and those that reorder or hide text.
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// plain is one line without control characters.
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(unseen, '').trim();
}

// lines is text of several lines without control characters.
export function lines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/\t/g, '  ').replace(unseen, ''))
    .join('\n');
}

// head is at most n characters of one line, cut between characters.
export function head(text: string, n: number): string {
  const chars = Array.from(plain(text.slice(0, n * 8)));
  return chars.length <= n ? chars.join('') : chars.slice(0, n - 1).join('') + '…';
}

// label is for places where $(name) is an icon: quick picks and the status bar.
export function label(text: string, n = 80): string {
  return head(text, n).replace(/\$\(/g, '$ (');
}

// notice is for notifications, where [text](link) is a link, even to a command.
export function notice(text: string, n = 200): string {
  return label(text, n).replace(/\]\(/g, '] (');
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

// duration is 45 s, 3 min 20 s, 2 h 5 min.
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return s % 60 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${s / 60} min`;
  const minutes = Math.floor((s % 3600) / 60);
  return minutes ? `${Math.floor(s / 3600)} h ${minutes} min` : `${Math.floor(s / 3600)} h`;
}
