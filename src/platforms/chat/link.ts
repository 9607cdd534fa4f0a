/**
 * Addresses within the web client, which reads them from the fragment, percent-encoded with `.` instead of `%`.
 *
 * Source: Zulip's own encoding of links (`hash_util`).
 */
import type { Place } from './place.js'

/** The address of a message in its conversation, or among all messages if the conversation is unknown. */
export function messageLink(baseUrl: string | undefined, place: Place | undefined, id: string): string | undefined {
  const narrow = narrowOf(place)
  if (narrow !== undefined) return baseUrl && `${baseUrl}/#narrow/${narrow}/near/${encode(id)}`
  // The Slack format does not contain the message's id.
  return baseUrl && /^\d+$/u.test(id) ? `${baseUrl}/#narrow/near/${id}` : undefined
}

/** The address of the topic that contains a message, valid also after a rename or move. */
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

/** The client reads only the id; the name is for people. */
function streamSlug(id: string, name: string | undefined): string {
  return encode(name === undefined ? id : `${id}-${name.replaceAll(' ', '-')}`)
}

function encode(text: string): string {
  // A lone surrogate has no percent-encoding.
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD'))
    .replace(/[.!'()*]/gu, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')
}
