import { forum } from '../../../src/platforms/forum/adapter.js'
import { adapterFixtures, eventValidator } from '../adapter-fixtures.js'

export const { readFixture, readFixtures, readExpected, normalise, eventOf } = adapterFixtures(forum, 'forum')
export const validator = eventValidator('forum')

/** The headers of a delivery of an event. */
export function headersOf(type: string, event: string, id = '7001'): Record<string, string> {
  return {
    'x-discourse-instance': 'https://forum.example.org',
    'x-discourse-event-type': type,
    'x-discourse-event': event,
    'x-discourse-event-id': id,
  }
}
