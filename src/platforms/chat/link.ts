/**
 * Addresses inside the web client. It reads them from the fragment, percent-encoded with a `.` for each `%`.
 *
 * Source: Zulip's own encoding of links (`hash_util`).
 */
import type { Place } from './place.js'

/** A message among its neighbours. */
export function messageLink(baseUrl: string | undefined, place: Place | undefined, id: string): string | undefined {
  const narrow = narrowOf(place)
  return narrow && baseUrl && `${baseUrl}/#narrow/${narrow}/near/${encode(id)}`
}

/** The topic in which a message stands, also after it was renamed or moved. */
export function topicLink(baseUrl: string | undefined, place: Place | undefined, id: string): string | undefined {
  const narrow = place?.type === 'stream' ? narrowOf(place) : undefined
  return narrow && baseUrl && `${baseUrl}/#narrow/${narrow}/with/${encode(id)}`
}

export function streamLink(baseUrl: string | undefined, id: string, name: string | undefined): string | undefined {
  return baseUrl && `${baseUrl}/#narrow/channel/${streamSlug(id, name)}`
}

function narrowOf(place: Place | undefined): string | undefined {
  if (place?.type === 'direct') {
    return place.userIds && `dm/${place.userIds.map(encode).join(',')}-${place.userIds.length > 2 ? 'group' : 'dm'}`
  }
  if (place?.streamId === undefined || place.topic === undefined) return undefined
  return `channel/${streamSlug(place.streamId, place.streamName)}/topic/${encode(place.topic)}`
}

/** The id alone is read; the name is for people. */
function streamSlug(id: string, name: string | undefined): string {
  return encode(name === undefined ? id : `${id}-${name.replaceAll(' ', '-')}`)
}

function encode(text: string): string {
  // A surrogate without its partner has no percent-encoding.
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD'))
    .replace(/[.!'()*]/gu, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')
}
