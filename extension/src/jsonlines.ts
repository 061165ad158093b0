// Splits a stream of bytes into lines of JSON.
import { StringDecoder } from 'node:string_decoder';

export class JsonLines {
  private rest = '';
  private skipping = false;
  private readonly decoder = new StringDecoder('utf8');

  // A line longer than limit is left out; onBad gets it, and lines that are not JSON.
  constructor(
    private readonly onValue: (value: unknown) => void,
    private readonly onBad: (line: string) => void = () => undefined,
    private readonly limit = 8 << 20,
  ) {}

  push(data: Buffer): void {
    const parts = (this.rest + this.decoder.write(data)).split('\n');
    this.rest = parts.pop() ?? '';
    for (const line of parts) this.line(line);
    if (this.rest.length > this.limit) {
      if (!this.skipping) this.onBad(this.rest.slice(0, 200));
      this.skipping = true;
      this.rest = '';
    }
  }

  private line(line: string): void {
    if (this.skipping) {
      this.skipping = false;
      return;
    }
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.onBad(line.slice(0, 200));
      return;
    }
    this.onValue(value);
  }
}
