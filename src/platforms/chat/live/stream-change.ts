import { withinDepth } from '../../deliveries/delivery-body.js'
import { idAt, isTrue, memberOf, objectAt, objectsAt, type Payload, textAt } from '../../mapping/payload.js'
import type { ChatMessage } from '../capture/chat-api.js'
import { messagePlaceOf, nameAt, type StreamPlace, topicAt, toStreamPlace } from '../place.js'

/** What a queue event reports about one stream, with the members that are compared with watches. */
export interface StreamChange {
  body: Payload
  /** The affected messages, in the order of the event. */
  messageIds: readonly number[]
  /** A new message. */
  message?: ChatMessage
  /** The place, before a move. Undefined if only the message shows it; so is the topic if only the message shows it. */
  place?: StreamPlace
  /** Where the messages are now. */
  movedTo?: StreamPlace
  /** All messages of the topic moved. */
  isWholeTopic?: boolean
  /** The event concerns all topics of the stream. */
  isOfStream?: boolean
  /** The new name of the stream. */
  renamedTo?: string
}

/** @returns none for heartbeats, for direct messages, and for types that were not requested */
export function readStreamChanges(event: Payload): StreamChange[] {
  const body = withinDepth(event)
  return READERS.get(textAt(body, 'type') ?? '')?.(body) ?? []
}

/** Source: Zulip API, `GET /events`. */
const READERS: ReadonlyMap<string, (body: Payload) => StreamChange[]> = new Map<
  string,
  (body: Payload) => StreamChange[]
>([
  ['message', readMessage],
  ['update_message', readUpdate],
  ['delete_message', readDeletion],
  ['reaction', body => [{ body, messageIds: messageIdsOf(body) }]],
  ['stream', readStream],
])

function readMessage(body: Payload): StreamChange[] {
  const payload = objectAt(body, 'message')
  const place = payload && messagePlaceOf(payload)
  const [id] = toIds([memberOf(payload, 'id')])
  if (!payload || place?.type !== 'stream' || id === undefined) return []
  return [{ body, messageIds: [id], message: { id, payload }, place }]
}

/** Old servers name the new stream and the topics only if they change. */
function readUpdate(body: Payload): StreamChange[] {
  const streamId = idAt(body, 'stream_id')
  // The server adds link previews after a message was sent.
  if (streamId === undefined || isTrue(body, 'rendering_only')) return []
  const topic = nameAt(body, 'orig_subject') ?? nameAt(body, 'orig_topic')
  const newStreamId = idAt(body, 'new_stream_id')
  const place: StreamPlace = { ...toStreamPlace(streamId, topic), streamName: textAt(body, 'stream_name') }
  const messageIds = messageIdsOf(body)
  if (topic === undefined && newStreamId === undefined) return [{ body, messageIds, place }]
  const isSameStream = newStreamId === undefined || newStreamId === streamId
  const movedTo: StreamPlace = {
    ...toStreamPlace(newStreamId ?? streamId, topicAt(body) ?? topic),
    streamName: isSameStream ? place.streamName : undefined,
  }
  return [{ body, messageIds, place, movedTo, isWholeTopic: textAt(body, 'propagate_mode') === 'change_all' }]
}

function readDeletion(body: Payload): StreamChange[] {
  const streamId = idAt(body, 'stream_id')
  return streamId === undefined
    ? []
    : [{ body, messageIds: messageIdsOf(body), place: toStreamPlace(streamId, topicAt(body)) }]
}

/** One event may be about several streams. Each becomes a change of its own. */
function readStream(body: Payload): StreamChange[] {
  const streams = objectsAt(body, 'streams')
  if (streams.length > 0) return streams.flatMap(stream => ofStream({ ...body, streams: [stream] }, stream))
  return ofStream(body, body)
}

function ofStream(body: Payload, stream: Payload): StreamChange[] {
  const streamId = idAt(stream, 'stream_id')
  if (streamId === undefined) return []
  const renamedTo = textAt(body, 'property') === 'name' ? textAt(body, 'value') : undefined
  const place: StreamPlace = { ...toStreamPlace(streamId, undefined), streamName: textAt(stream, 'name') }
  return [{ body, messageIds: [], place, isOfStream: true, ...(renamedTo === undefined ? {} : { renamedTo }) }]
}

/** The affected message, then those that change with it. */
function messageIdsOf(body: Payload): number[] {
  const others = memberOf(body, 'message_ids')
  return [...new Set(toIds([memberOf(body, 'message_id'), ...(Array.isArray(others) ? others : [])]))]
}

function toIds(values: readonly unknown[]): number[] {
  return values.filter((value): value is number => Number.isSafeInteger(value) && Number(value) > 0)
}
