/** The deliveries that the webhooks of a forum would have sent for the items of its API. */
import { idOf, type PastDelivery, timeOf } from '../../history/item-events.js'
import { idAt, known, memberOf, objectsAt, type Payload } from '../../mapping/payload.js'

export interface Forum {
  /** Address of the forum, as its webhooks send it. */
  instance: string
  /** RFC 3339 in UTC, six digits. */
  since: string
}

export function topicDeliveries(forum: Forum, topic: Payload): PastDelivery[] {
  return delivery(forum, 'topic', topic)
}

export function postDeliveries(forum: Forum, post: Payload): PastDelivery[] {
  return delivery(forum, 'post', post)
}

/** A list of topics has the people in a separate list. A topic names its creator first. */
export function withCreator(topic: Payload, people: readonly Payload[]): Payload {
  const id = idAt(objectsAt(topic, 'posters')[0], 'user_id')
  const creator =
    id === undefined ? undefined : (people.find(person => idAt(person, 'id') === id) ?? { id: Number(id) })
  const { posters: _, ...rest } = topic
  return known({ ...rest, created_by: memberOf(topic, 'created_by') ?? creator })
}

function delivery({ instance, since }: Forum, type: 'topic' | 'post', object: Payload): PastDelivery[] {
  idOf(object)
  if (timeOf(object, 'created_at') < since) return []
  const headers = {
    'x-discourse-instance': instance,
    'x-discourse-event-type': type,
    'x-discourse-event': `${type}_created`,
  }
  return [{ headers, body: { [type]: object } }]
}
