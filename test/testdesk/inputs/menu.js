// The slash commands of the menu.
const commands = ["/compress", "/ralph-cancel", "/ralph-loop", "/review"];

export const matching = query => commands.filter(c => c.startsWith("/" + query));

// The list of rows below an editor. The first row is the one that Enter picks.
export class Menu {
  #list;

  constructor(host) {
    this.#list = host.appendChild(document.createElement("ul"));
    this.#list.className = "slash-menu";
    this.close();
  }

  show(rows) {
    this.#list.replaceChildren(...rows.map(row => Object.assign(document.createElement("li"), {textContent: row})));
    this.#list.hidden = rows.length === 0;
  }

  close() { this.show([]) }

  row() { return this.#list.firstChild?.textContent ?? "" }
}
