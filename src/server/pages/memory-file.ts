import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { HttpRequest, Reply } from '../http/route.js'

type Encoding = 'br' | 'gzip'

/** Best first. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip']

/** The highest quality takes three times as long for a few percent. */
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

/** A file of a page that is held in memory and sent in the form that the browser likes best. */
export class PageFile {
  readonly digest: string
  readonly #plain: Form
  /** Each is made when it is first asked for, and once. */
  readonly #compressed = new Map<Encoding, Promise<Form>>()

  constructor(
    readonly bytes: Uint8Array,
    readonly type: string,
  ) {
    this.digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
    this.#plain = this.#form(bytes)
  }

  /** @param headers names and values in turn, `Cache-Control` above all */
  async reply(req: HttpRequest, headers: readonly string[], page: NonNullable<Reply['page']> = true): Promise<Reply> {
    const form = await this.#formFor(req.headers['accept-encoding'])
    const all = [...headers, 'Vary', 'Accept-Encoding', 'ETag', form.etag]
    if (names(req.headers['if-none-match']).includes(form.etag)) return { status: 304, page, body: '', headers: all }
    return { status: 200, type: this.type, page, body: form.bytes, headers: [...all, ...form.headers] }
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

  /** Each form has a tag of its own: the bytes differ. Source: RFC 9110, section 8.8.3. */
  #form(bytes: Uint8Array, encoding?: Encoding): Form {
    return {
      bytes,
      etag: `"${this.digest}${encoding ? `-${encoding}` : ''}"`,
      headers: encoding ? ['Content-Encoding', encoding] : [],
    }
  }
}

/** Of the forms that there may be, those that are named, best first. Source: RFC 9110, section 12.5.3. */
export function acceptedEncodings(header: string | string[] | undefined): Encoding[] {
  const accepted = names(header).map(name => {
    const [coding = '', quality = ''] = name.toLowerCase().split(';', 2)
    return /^\s*q=0(?:\.0*)?\s*$/.test(quality) ? '' : coding.trim()
  })
  return ENCODINGS.filter(encoding => accepted.includes(encoding))
}

function names(list: string | string[] | undefined): string[] {
  return String(list ?? '')
    .split(',')
    .map(name => name.trim().replace(/^W\//, ''))
}
