import { type TargetNode, targetChain } from '../../model/events/event.js'
import type { Subscription } from '../../model/subscriptions/subscription.js'
import { namedKey } from '../../model/subscriptions/target-place.js'
import { currentFollowedPlace, readFollowedPlace, watchedPlaceOf } from './watched-place.js'

/**
 * The place of a watch as capture last found it, as a lookup key: the server, the stream's id, which renames do not
 * change, and the name of the topic. Names are compared without case.
 *
 * @returns undefined for a watch that was not captured yet, or that was changed to another place
 */
export function followedKeyOf(watch: Subscription): string | undefined {
  const host = watch.source === 'chat' ? watch.capture?.host : undefined
  const place = host ? watchedPlaceOf(watch) : undefined
  const followed = place && currentFollowedPlace(place, readFollowedPlace(watch.capture?.followed ?? undefined))
  if (!host || !followed) return undefined
  const { stream_id, stream, topic } = followed
  return toKey(host, stream_id === undefined ? namedKey('stream', stream) : `stream:${stream_id}`, topic)
}

/** Every key under which a watch may follow the place of an event with this target. */
export function followedKeysOf(target: TargetNode): string[] {
  const { topic, stream, realm } = nodesOf(target)
  const host = realm?.display
  if (!stream || host === undefined) return []
  const streams = [stream.key, stream.display === undefined ? undefined : namedKey('stream', stream.display)]
  return streams.flatMap(key => {
    if (key === undefined) return []
    const whole = toKey(host, key, undefined)
    return topic?.display === undefined ? [whole] : [whole, toKey(host, key, topic.display)]
  })
}

/** The server of an event. */
export function chatHostOf(target: TargetNode): string | undefined {
  return nodesOf(target).realm?.display
}

/** Nodes by type; a chain has at most one of each. */
function nodesOf(target: TargetNode): { topic?: TargetNode; stream?: TargetNode; realm?: TargetNode } {
  return Object.fromEntries([...targetChain(target)].map(node => [node.type ?? '', node]))
}

/** Encodes a `/` in a stream name, so that it differs from the one after the host. */
function toKey(host: string, stream: string, topic: string | undefined): string {
  const whole = `${host}/${stream}`.toLowerCase()
  return topic === undefined ? whole : `${whole}/${topic.toLowerCase()}`
}
