import { connect, type Socket } from 'node:net'
import { AnswerReader, type TakeBody } from './answer-reader.js'

interface Listener {
  /** The answer to the request has arrived as a whole. */
  answered(status: number): void
  /** There will be no answer. The next request uses a new connection. */
  failed(error: Error): void
  body?: TakeBody
}

const READ_BUFFER = 256 * 1024

/**
 * Sends one request at a time over a raw keep-alive connection. If the server ends the connection (such as after a
 * number of requests), the next request opens another one.
 */
export class HttpConnection {
  /** How many connections were opened. */
  opened = 0
  readonly #readBuffer = Buffer.allocUnsafe(READ_BUFFER)
  #socket: Socket | undefined
  #reader: AnswerReader
  #waiting = false

  constructor(
    private readonly port: number,
    private readonly listener: Listener,
  ) {
    this.#reader = new AnswerReader(listener.body)
  }

  /** @param request complete; must not change until the answer has arrived */
  send(request: Buffer): void {
    this.#waiting = true
    this.#socket ??= this.#open()
    this.#socket.write(request)
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #open(): Socket {
    this.opened++
    this.#reader = new AnswerReader(this.listener.body)
    const socket: Socket = connect({
      host: '127.0.0.1',
      port: this.port,
      noDelay: true,
      onread: { buffer: this.#readBuffer, callback: (length, chunk) => this.#receive(socket, chunk as Buffer, length) },
    })
    let reason: Error | undefined
    socket.on('error', error => {
      reason = error
    })
    socket.on('close', () => this.#lose(socket, reason ?? new Error('The server closed the connection.')))
    return socket
  }

  #receive(socket: Socket, chunk: Buffer, length: number): boolean {
    if (socket !== this.#socket) return true
    try {
      if (this.#reader.accept(chunk, length)) this.#complete()
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)))
    }
    return true
  }

  #complete(): void {
    if (this.#reader.closes) this.close()
    this.#waiting = false
    this.listener.answered(this.#reader.status)
  }

  #lose(socket: Socket, error: Error): void {
    if (socket !== this.#socket) return
    this.#socket = undefined
    if (!this.#waiting) return
    this.#waiting = false
    this.listener.failed(error)
  }
}
