import { isUtf8 } from 'node:buffer'

const PREFIX = 'ce-'
/** In binary mode, the content type of the request is that of the data. */
const NOT_AN_ATTRIBUTE = ['data', 'data_base64', 'datacontenttype']
const JSON_TYPE = /^[^;]*[/+]json[ \t]*(?:;|$)/iu
const TEXT_TYPE = /^text\/|[/+](?:xml|yaml|x-www-form-urlencoded)[ \t]*(?:;|$)/iu

/** Whether a request has the attributes of a CloudEvent as headers. */
export function isBinaryMode(headers: Headers): boolean {
  return headers['ce-specversion'] !== undefined
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Converts a CloudEvent in binary mode to the JSON format: attributes from `ce-…` headers, data from the body.
 *
 * @param readJson parses data that is JSON
 * @throws as `readJson`
 *
 * Source: CloudEvents, HTTP Protocol Binding 1.0.2, sections 3.1 and 3.1.3.2.
 */
export function fromBinaryMode(
  headers: Headers,
  body: Buffer,
  readJson: (bytes: Buffer) => unknown,
): Record<string, unknown> {
  const attributes = Object.entries(headers).flatMap(([name, value]) => {
    const attribute = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : ''
    if (attribute === '' || NOT_AN_ATTRIBUTE.includes(attribute)) return []
    return [[attribute, decoded(String(value))] as const]
  })
  const type = headers['content-type']
  if (typeof type === 'string') attributes.push(['datacontenttype', type])
  return { ...Object.fromEntries(attributes), ...dataOf(typeof type === 'string' ? type : undefined, body, readJson) }
}

/** Data without a content type, or with one that is neither JSON nor text, counts as bytes. */
function dataOf(type: string | undefined, body: Buffer, readJson: (bytes: Buffer) => unknown): object {
  if (body.byteLength === 0) return {}
  if (type !== undefined && JSON_TYPE.test(type)) return { data: readJson(body) }
  if (type !== undefined && TEXT_TYPE.test(type) && isUtf8(body)) return { data: body.toString('utf8') }
  return { data_base64: body.toString('base64') }
}

/** Removes quotes, then decodes percent-encoding once. Texts of senders that do not encode stay unchanged. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(withoutQuotes(value))
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return value
  }
}

/** A text without a closing quote stays unchanged. Source: RFC 7230, section 3.2.6. */
function withoutQuotes(value: string): string {
  if (!value.includes('"')) return value
  let text = ''
  let isQuoted = false
  for (let at = 0; at < value.length; at++) {
    const character = value.charAt(at)
    if (character === '"') isQuoted = !isQuoted
    else if (character === '\\' && isQuoted) text += value.charAt(++at)
    else text += character
  }
  return isQuoted ? value : text
}
