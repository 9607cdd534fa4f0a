import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { Encoding } from '../request/accepted-encodings.js'
import type { BodyWriter } from './body-writer.js'

const CHUNK_BYTES = 64 * 1024
/** The fastest levels: readers of large pages usually read many. */
const GZIP = { level: 1, chunkSize: CHUNK_BYTES }
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 19 },
  chunkSize: CHUNK_BYTES,
}

/**
 * Compresses a large body while it is written. Each piece is compressed completely before it is written, so only one
 * piece and its compressed form are in memory.
 */
export class CompressedWriter implements Pick<BodyWriter, 'isOver' | 'write' | 'end'> {
  readonly #stream
  #compressed: Buffer[] = []

  constructor(
    private readonly writer: BodyWriter,
    encoding: Encoding,
  ) {
    this.#stream = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP)
    this.#stream.on('data', chunk => this.#compressed.push(chunk))
  }

  get isOver(): boolean {
    return this.writer.isOver
  }

  async write(bytes: Uint8Array, before = ''): Promise<void> {
    if (before) this.#stream.write(before)
    this.#stream.write(bytes)
    await new Promise<void>(resolve => this.#stream.flush(resolve))
    await this.writer.write(this.#take())
  }

  async end(text = ''): Promise<void> {
    await new Promise<void>(resolve => this.#stream.once('end', resolve).end(text))
    await this.writer.end(this.#take())
  }

  #take(): Buffer {
    return Buffer.concat(this.#compressed.splice(0))
  }
}
