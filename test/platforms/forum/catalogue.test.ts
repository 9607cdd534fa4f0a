import t from 'tap'
import { listPlatforms } from '../../../src/platforms/adapters.js'
import { forum } from '../../../src/platforms/forum/adapter.js'
import { eventOf, headersOf, readFixtures } from './support.js'

/** Every event that a forum and its plugins are known to send, by type. */
const KNOWN: Record<string, string[]> = {
  post: ['post_created', 'post_edited', 'post_destroyed', 'post_recovered'],
  topic: [
    'topic_created',
    'topic_edited',
    'topic_revised',
    'topic_destroyed',
    'topic_recovered',
    'topic_closed_status_updated',
    'topic_autoclosed_status_updated',
    'topic_archived_status_updated',
    'topic_pinned_status_updated',
    'topic_pinned_globally_status_updated',
    'topic_visible_status_updated',
  ],
  like: ['post_liked'],
  solved: ['accepted_solution', 'unaccepted_solution'],
  user: [
    'user_created',
    'user_approved',
    'user_updated',
    'user_destroyed',
    'user_logged_in',
    'user_logged_out',
    'user_confirmed_email',
    'user_suspended',
    'user_unsuspended',
  ],
  category_experts: ['category_experts_approved', 'category_experts_unapproved'],
  user_promoted: ['user_promoted'],
  group_user: ['user_added_to_group', 'user_removed_from_group'],
  user_badge: ['user_badge_granted', 'user_badge_revoked'],
  category: ['category_created', 'category_updated', 'category_destroyed'],
  group: ['group_created', 'group_updated', 'group_destroyed'],
  tag: ['tag_created', 'tag_updated', 'tag_destroyed'],
  notification: ['notification_created'],
  reviewable: ['reviewable_created', 'reviewable_transitioned_to', 'reviewable_score_updated'],
  chat_message: ['chat_message_created', 'chat_message_edited', 'chat_message_trashed', 'chat_message_restored'],
  assign: ['assigned', 'unassigned'],
  topic_voting: ['topic_upvote', 'topic_unvote'],
}

/** Members other than the name of the event that determine the kind. */
const OBJECTS: Record<string, unknown>[] = [{}, { id: 5, post_number: 2 }, { closed: true }, { closed: false }]

t.test('the catalogue has exactly the kinds that the forum names', async t => {
  t.ok(listPlatforms().includes(forum.catalogue))
  const kinds = new Set(forum.catalogue.kinds)
  const made = new Set<string>()
  for (const [type, events] of Object.entries(KNOWN)) {
    for (const event of events) {
      for (const object of OBJECTS)
        made.add(eventOf({ headers: headersOf(type, event), body: { [type]: object } }).kind)
    }
  }
  for (const fixture of readFixtures()) {
    if (!fixture.name.startsWith('generic-')) t.ok(made.has(eventOf(fixture).kind), fixture.name)
  }
  t.ok(kinds.delete('*'), 'any other event is stored generically')
  t.strictSame([...made].sort(), [...kinds].sort())
})

t.test('an unknown event keeps its own terms', async t => {
  const cases: [type: string, event: string, kind: string][] = [
    ['post', 'post_promoted', 'post.promoted'],
    ['user', 'user_anonymized', 'user.anonymized'],
    ['category_experts', 'category_experts_approved', 'category_experts.approved'],
    ['calendar_event', 'invitee_created', 'calendar_event.invitee_created'],
    ['post_like_removed', 'post_like_removed', 'post_like_removed.received'],
    ['Größe & Co', 'Größe & Co_Wächst!', 'größe_co.wächst'],
  ]
  for (const [type, event, kind] of cases) {
    const made = eventOf({ headers: headersOf(type, event), body: { [type]: { id: 5 } } })
    t.equal(made.kind, kind)
    t.match(made.action.metadata, { native_event: event, native_type: type })
  }
})

t.test('without headers, the root of the body determines the kind', async t => {
  t.equal(eventOf({ headers: {}, body: { post: { id: 5, post_number: 2 } } }).kind, 'reply.received')
  t.equal(eventOf({ headers: { 'x-discourse-event': 'tag_created' }, body: { tag: { id: 5 } } }).kind, 'tag.created')
  t.equal(eventOf({ headers: {}, body: {} }).kind, 'event.received')
})
