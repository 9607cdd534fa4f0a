import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { HttpRequest, Reply } from '../http/route.js'
import { acceptedEncodings, type Encoding, listedNames } from '../request/accepted-encodings.js'

/** The highest quality takes three times as long, and saves only a few percent. */
const BROTLI_QUALITY = 10

const COMPRESS: Record<Encoding, (bytes: Uint8Array) => Promise<Buffer>> = {
  br: bytes => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: bytes => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
}

interface Form {
  bytes: Uint8Array
  etag: string
  headers: readonly string[]
}

/**
 * A file of a page in memory, sent in the best encoding that the browser accepts. Its entity tag comes from its
 * content: files that a package manager installs all have the same time, so a tag made of size and time could stay the
 * same when the content changes.
 */
export class MemoryFile {
  readonly digest: string
  readonly #plain: Form
  /** Compressed forms. Each is made once, when it is first requested. */
  readonly #compressed = new Map<Encoding, Promise<Form>>()

  constructor(
    readonly bytes: Uint8Array,
    readonly type: string,
  ) {
    this.digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
    this.#plain = this.#form(bytes)
  }

  /** @param headers names and values in turn, among them `Cache-Control` */
  async reply(req: HttpRequest, headers: readonly string[]): Promise<Reply> {
    const form = await this.#formFor(req.headers['accept-encoding'])
    const all = [...headers, 'Vary', 'Accept-Encoding', 'ETag', form.etag]
    if (listedNames(req.headers['if-none-match']).includes(form.etag))
      return { status: 304, page: true, body: '', headers: all }
    return { status: 200, type: this.type, page: true, body: form.bytes, headers: [...all, ...form.headers] }
  }

  #formFor(accepted: string | string[] | undefined): Form | Promise<Form> {
    const [encoding] = acceptedEncodings(accepted)
    if (!encoding) return this.#plain
    let form = this.#compressed.get(encoding)
    if (!form) {
      form = this.#compress(encoding)
      this.#compressed.set(encoding, form)
    }
    return form
  }

  async #compress(encoding: Encoding): Promise<Form> {
    const bytes = await COMPRESS[encoding](this.bytes)
    return bytes.byteLength < this.bytes.byteLength ? this.#form(bytes, encoding) : this.#plain
  }

  /** Each form has its own tag, because the bytes differ. Source: RFC 9110, section 8.8.3. */
  #form(bytes: Uint8Array, encoding?: Encoding): Form {
    return {
      bytes,
      etag: `"${this.digest}${encoding ? `-${encoding}` : ''}"`,
      headers: encoding ? ['Content-Encoding', encoding] : [],
    }
  }
}
