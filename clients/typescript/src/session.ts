/** One WebSocket, from its handshake until it is closed. */
import type { Line, Problem, Taken } from "./types.js";

/** Milliseconds without a message after which a connection is given up: while an answer is awaited,
 * and otherwise. A page does not see the service's pings. */
const NO_ANSWER = 30_000;
const SILENCE = 120_000;

export interface Session {
  signal: AbortSignal;
  /** Whether an answer is awaited. */
  waiting(): boolean;
  opened(send: (frame: string) => void): void;
  line(line: Line): void;
  answer(id: string, status: number, body: Taken | Problem): void;
}

/** How it was closed: whether the handshake succeeded, whether the match is over, and the close code. */
export interface Closed {
  opened: boolean;
  over: boolean;
  code: number;
}

/** Returns when it is closed. Throws the reason of the signal when that is aborted. */
export function session(url: string, heard: Session): Promise<Closed> {
  return new Promise((resolve, reject) => {
    heard.signal.throwIfAborted();
    const socket = new WebSocket(url);
    const closed: Closed = { opened: false, over: false, code: 1006 };
    let timer: ReturnType<typeof setTimeout>;
    let finished = false;

    function finish(): void {
      finished = true;
      clearTimeout(timer);
      heard.signal.removeEventListener("abort", leave);
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
      resolve(closed);
    }
    function leave(): void {
      finish();
      reject(heard.signal.reason);
    }
    function listen(): void {
      clearTimeout(timer);
      if (finished) return;
      timer = setTimeout(finish, !closed.opened || heard.waiting() ? NO_ANSWER : SILENCE);
    }

    heard.signal.addEventListener("abort", leave);
    socket.onopen = () => {
      closed.opened = true;
      heard.opened((frame) => {
        socket.send(frame);
        listen();
      });
      listen();
    };
    socket.onmessage = ({ data }) => {
      listen();
      const message = JSON.parse(data as string);
      if ("line" in message) heard.line(message.line);
      else if ("answer" in message) heard.answer(message.answer, message.status, message.body);
      else if ("end" in message) closed.over = true;
    };
    socket.onclose = ({ code }) => {
      closed.code = code;
      finish();
    };
    listen();
  });
}
