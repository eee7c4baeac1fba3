/** Lines of JSON as they arrive. */
import { ConnectionLost } from "./errors.js";
import { orLost } from "./http.js";

/** Milliseconds without a byte after which a stream is lost; the service sends some every 15 seconds. */
const SILENCE = 45_000;

/** Each line, and null for an empty one, which only shows that the connection is open. */
export async function* lines(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<unknown> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await audible(orLost(reader.read(), signal));
    if (done) return;
    const texts = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = texts.pop() ?? "";
    for (const text of texts) yield text.trim() === "" ? null : JSON.parse(text);
  }
}

function audible<T>(reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const silent = () => reject(new ConnectionLost("The stream has been silent for too long"));
    const timer = setTimeout(silent, SILENCE);
    void reading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
