import { createHmac } from 'node:crypto'
import { webhookPathOf } from '../src/model/sources/source-definition.js'
import type { DeliverySize, DeliverySource } from './load-plan.js'
import { Random } from './random.js'
import { Talk } from './words.js'

/** Secret that signs the deliveries of these measurements. */
export const DELIVERY_SECRET = 'measured-secret'

export interface Delivery {
  path: string
  headers: Readonly<Record<string, string>>
  body: Buffer
}

/** Placeholder in a template for the number of the delivery: an id that occurs nowhere else. */
const NUMBER = 900_000_000_000_001
const MEGABYTE = 1_000_000
const SENTENCE_WORDS = 12

/** A delivery of a platform, with `NUMBER` in place of its ids. */
interface Template {
  headers: Readonly<Record<string, string>>
  body: unknown
  /** @returns the headers that prove it */
  sign: (body: Buffer) => Record<string, string>
}

/**
 * Creates deliveries that differ only in their subject, so that each is a separate event. Those of mean size are as
 * large as the average delivery of the platform: 0.5 KB from chat, 1.3 KB from the forum, 12 KB and 2.4 KB from the
 * code hosts.
 */
export function deliveryMaker(source: DeliverySource, size: DeliverySize): (index: number) => Delivery {
  const { headers, body, sign } = TEMPLATES[source](size === 'megabyte' ? MEGABYTE : 0)
  const [before = '', after = ''] = JSON.stringify(body).split(String(NUMBER))
  return index => {
    const bytes = Buffer.from(`${before}${index + 1}${after}`)
    const path = source === 'own' ? webhookPathOf(source) : `/webhooks/${source}`
    return { path, headers: { ...headers, ...sign(bytes) }, body: bytes }
  }
}

/** A push to code_a of nearly the largest size that is delivered, with the number of commits that this needs. */
export function largestDelivery(index: number): Delivery {
  const { headers, body, sign } = codeAPush(25_500_000)
  const bytes = Buffer.from(JSON.stringify(body).replace(String(NUMBER), String(index + 1)))
  return { path: '/webhooks/code_a', headers: { ...headers, ...sign(bytes) }, body: bytes }
}

/** @param bytes minimum size; 0: the usual size */
const TEMPLATES: Record<DeliverySource, (bytes: number) => Template> = {
  chat: bytes => ({
    headers: {},
    body: {
      token: DELIVERY_SECRET,
      trigger: 'mention',
      bot_email: 'ledger-bot@chat.example.org',
      data: '@**ledger** ok',
      message: {
        id: NUMBER,
        type: 'stream',
        stream_id: 4,
        display_recipient: 'eng',
        subject: 'deploys',
        sender_id: 17,
        sender_full_name: 'Ada Lovelace',
        sender_email: 'ada@example.org',
        timestamp: 1_935_826_800,
        content: talk(Math.max(bytes, 120)),
      },
    },
    sign: () => ({}),
  }),
  forum: bytes => {
    const text = talk(Math.max(bytes / 2, 250))
    return {
      headers: {
        'x-discourse-instance': 'https://forum.example.org',
        'x-discourse-event-type': 'post',
        'x-discourse-event': 'post_created',
      },
      body: {
        post: {
          id: NUMBER,
          topic_id: 77,
          topic_slug: 'where-the-logs-go',
          topic_title: 'Where the logs go',
          category_id: 5,
          username: 'ada',
          name: 'Ada Lovelace',
          user_id: 17,
          avatar_template: '/user_avatar/ada/{size}/1_2.png',
          post_number: 4,
          post_type: 1,
          created_at: '2031-05-04T09:00:00.123Z',
          updated_at: '2031-05-04T09:00:00.123Z',
          reply_count: 0,
          quote_count: 0,
          incoming_link_count: 0,
          reads: 0,
          score: 0,
          trust_level: 3,
          version: 1,
          moderator: false,
          admin: false,
          staff: false,
          user_title: null,
          hidden: false,
          user_deleted: false,
          raw: text,
          cooked: `<p>${text}</p>`,
          primary_group_name: null,
          flair_name: null,
          topic_posts_count: 4,
        },
      },
      sign: body => ({ 'x-discourse-event-signature': hmac(body) }),
    }
  },
  code_a: bytes => (bytes > 0 ? codeAPush(bytes) : codeAComment()),
  code_b: bytes => ({
    headers: { 'x-gitlab-event': 'Note Hook', 'x-gitlab-instance': 'https://gitlab.example.org' },
    body: note(bytes),
    sign: () => ({ 'x-gitlab-token': DELIVERY_SECRET }),
  }),
  own: bytes => ({ headers: {}, body: note(bytes), sign: body => ({ 'x-signature': hmac(body) }) }),
}

function note(bytes: number) {
  return {
    object_kind: 'note',
    event_type: 'note',
    project_id: 42,
    repository: links('repository', 3),
    user: { id: 17, name: 'Ada Lovelace', username: 'ada', avatar_url: 'https://gitlab.example.org/a.png' },
    project: {
      id: 42,
      path_with_namespace: 'ada/engine',
      web_url: 'https://gitlab.example.org/ada/engine',
      ...links('project', 8),
    },
    object_attributes: {
      id: NUMBER,
      note: talk(Math.max(bytes, 300)),
      noteable_type: 'Issue',
      author_id: 17,
      action: 'create',
      created_at: '2031-05-04 09:00:00 UTC',
      updated_at: '2031-05-04 09:00:00 UTC',
      project_id: 42,
      url: 'https://gitlab.example.org/ada/engine/-/issues/12#note_1',
    },
    issue: { id: 501, iid: 12, title: 'Deploy stops half-way', state: 'opened', description: talk(500), labels: [] },
  }
}

function codeAComment(): Template {
  const user = { login: 'ada', id: 17, type: 'User', site_admin: false, ...links('users/ada', 12) }
  return {
    headers: { 'x-github-event': 'issue_comment', 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    body: {
      action: 'created',
      issue: {
        id: 501,
        number: 12,
        title: 'Deploy stops half-way',
        user,
        labels: [],
        state: 'open',
        body: talk(800),
        html_url: 'https://github.com/ada/engine/issues/12',
        created_at: '2031-05-03T09:00:00Z',
        ...links('issues/12', 5),
      },
      comment: {
        id: NUMBER,
        user,
        body: talk(300),
        author_association: 'MEMBER',
        ...links('comments', 3),
        created_at: '2031-05-04T09:00:00Z',
        updated_at: '2031-05-04T09:00:00Z',
        html_url: 'https://github.com/ada/engine/issues/12#issuecomment-1',
      },
      repository: repository(),
      sender: user,
    },
    sign: body => ({ 'x-hub-signature-256': hmac(body) }),
  }
}

function codeAPush(bytes: number): Template {
  const message = talk(120)
  const commit = (index: number) => ({
    id: String(index).padStart(40, '0'),
    distinct: true,
    message,
    timestamp: '2031-05-04T09:00:00+02:00',
    author: { name: 'Ada Lovelace', email: 'ada@example.org', username: 'ada' },
    added: [`cards/${index}`],
    removed: [],
    modified: ['engine/mill.ts'],
    url: `https://github.com/ada/engine/commit/${index}`,
  })
  const commits = Math.ceil(bytes / JSON.stringify(commit(1_000_000)).length)
  return {
    headers: { 'x-github-event': 'push', 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    body: {
      ref: 'refs/heads/main',
      before: '0'.repeat(40),
      after: String(NUMBER),
      forced: false,
      deleted: false,
      repository: repository(),
      sender: { login: 'ada', id: 17, type: 'User' },
      commits: Array.from({ length: commits }, (_, index) => commit(index)),
    },
    sign: body => ({ 'x-hub-signature-256': hmac(body) }),
  }
}

function repository() {
  const owner = { login: 'ada', id: 17, type: 'User', ...links('users/ada', 12) }
  const html_url = 'https://github.com/ada/engine'
  return {
    id: 70_010,
    name: 'engine',
    full_name: 'ada/engine',
    private: false,
    owner,
    html_url,
    ...links('repos/ada/engine', 60),
  }
}

/** Members with addresses, which are frequent in payloads. */
function links(path: string, count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => `link_${index}_url`)
  return Object.fromEntries(names.map(name => [name, `https://api.example.org/${path}/${name}{/number}`]))
}

/** Words with about this many characters in total. */
function talk(characters: number): string {
  const words = new Talk()
  const random = new Random(7, characters)
  let text = words.message(random, SENTENCE_WORDS)
  while (text.length < characters) text += ` ${words.message(random, SENTENCE_WORDS)}`
  return text
}

function hmac(body: Buffer): string {
  return `sha256=${createHmac('sha256', DELIVERY_SECRET).update(body).digest('hex')}`
}
