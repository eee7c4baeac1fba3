/** What of a browser the pure modules need while they load: the texts of the page, and its stores. */
const GIVEN = {
  language: "en",
  texts: { "match.days": "{count} d", "event.value.heads": "Kopf" },
  event_fields: { seats: [], of_each_seat: [] },
  data: null,
};

/** A store as a browser has one, in which a text has room for so many characters. */
export class Store {
  readonly #room: number;
  [name: string]: unknown;

  constructor(room = Infinity) {
    this.#room = room;
  }

  getItem(name: string): unknown {
    return Object.hasOwn(this, name) ? this[name] : null;
  }

  setItem(name: string, text: string): void {
    if (text.length > this.#room) throw new DOMException("full", "QuotaExceededError");
    this[name] = text;
  }

  removeItem(name: string): void {
    delete this[name];
  }
}

Object.assign(globalThis, {
  document: { getElementById: () => ({ textContent: JSON.stringify(GIVEN) }), baseURI: "http://arbiter.test/" },
  sessionStorage: new Store(),
  localStorage: new Store(),
  location: { origin: "http://arbiter.test", reload: () => undefined },
  addEventListener: () => undefined,
});
