import {
  ADDRESS,
  BY_QUERY,
  bodyHmac,
  FORM,
  hmac,
  QUERY,
  SECRET,
  type Service,
  type ServiceDelivery,
  seconds,
} from './service.js'

const asanaSignature: ServiceDelivery['sign'] = body => ({ 'x-hook-signature': hmac('sha256', 'hex', body) })

/** Services that teams, shops and offices work with. */
export const WORK: Service[] = [
  {
    name: 'Trello',
    secret: SECRET,
    definition: {
      proof: {
        type: 'hmac',
        algorithm: 'sha1',
        header: 'X-Trello-Webhook',
        encoding: 'base64',
        signed: `{body}${ADDRESS}`,
      },
      rules: [
        {
          kind: 'card.{/action/type}',
          subject_id: ['{/action/data/card/id}', '{/action/id}'],
          actor: { id: '{/action/memberCreator/username}', display: '{/action/memberCreator/fullName}' },
          target: [
            { type: 'card', id: '{/action/data/card/id}', display: '{/action/data/card/name}' },
            { type: 'board', id: '{/action/data/board/id}', display: '{/action/data/board/name}' },
          ],
          text: '{/action/data/text}',
          time: '{/action/date}',
          key: '{/action/id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          action: {
            id: '51f9424bcd6e040f3c002412',
            data: {
              board: { name: 'Board', id: '4d5ea62f' },
              card: { idShort: 1458, name: 'Hooks', id: '51a79e72' },
              voted: true,
            },
            type: 'voteOnCard',
            date: '2026-11-20T13:00:00.949Z',
            memberCreator: { id: '4fc78a59', fullName: 'Doug Patti', username: 'doug' },
          },
        },
        sign: body => ({ 'x-trello-webhook': hmac('sha1', 'base64', body, ADDRESS) }),
        becomes: [['card.voteoncard', 'card:51a79e72']],
      },
    ],
  },
  {
    name: 'Asana',
    secret: SECRET,
    definition: {
      proof: bodyHmac('X-Hook-Signature'),
      echo: { header: 'X-Hook-Secret' },
      ignore: [[{ at: '/events/0', exists: false }]],
      each: '/events',
      rules: [
        {
          kind: '{./resource/resource_type}.{./action}',
          subject_id: '{./resource/gid}',
          actor: { id: '{./user/gid}' },
          target: [{ type: 'task', id: '{./resource/gid}' }],
          text: '{./change/field}',
          time: '{./created_at}',
        },
      ],
    },
    deliveries: [
      { body: { events: [] }, sign: asanaSignature, becomes: [] },
      {
        body: {
          events: [
            {
              user: { gid: '12', resource_type: 'user' },
              created_at: '2026-11-20T13:00:00.000Z',
              action: 'changed',
              resource: { gid: '1337', resource_type: 'task', resource_subtype: 'default_task' },
              parent: null,
              change: { field: 'assignee', action: 'changed' },
            },
            {
              user: null,
              created_at: '2026-11-20T13:00:01.000Z',
              action: 'added',
              resource: { gid: '1338', resource_type: 'story' },
            },
          ],
        },
        sign: asanaSignature,
        becomes: [
          ['task.changed', 'task:1337'],
          ['story.added', 'task:1338'],
        ],
      },
    ],
  },
  {
    name: 'Typeform',
    secret: SECRET,
    definition: {
      proof: bodyHmac('Typeform-Signature', { prefix: 'sha256=', encoding: 'base64' }),
      rules: [
        {
          kind: 'form.answered',
          subject_id: '{/form_response/token}',
          actor: { email: '{/form_response/answers/[type=email]/email}' },
          target: [{ type: 'form', id: '{/form_response/form_id}', display: '{/form_response/definition/title}' }],
          text: '{/form_response/answers/[field~1ref=goal]/text}',
          time: '{/form_response/submitted_at}',
          key: '{/event_id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          event_id: 'LtWXD3crgy',
          event_type: 'form_response',
          form_response: {
            form_id: 'lT4Z3j',
            token: 'a3a12ec67a1365927098a606107fac15',
            submitted_at: '2026-11-20T13:00:00Z',
            definition: { id: 'lT4Z3j', title: 'Hiring' },
            answers: [
              { type: 'text', text: 'Job opportunities', field: { id: 'JwWg', type: 'short_text', ref: 'goal' } },
            ],
          },
        },
        sign: body => ({ 'typeform-signature': `sha256=${hmac('sha256', 'base64', body)}` }),
        becomes: [['form.answered', 'form:lT4Z3j']],
      },
    ],
  },
  {
    name: 'Calendly',
    secret: SECRET,
    definition: {
      proof: {
        ...bodyHmac('Calendly-Webhook-Signature', { prefix: 'v1=' }),
        separator: ',',
        signed: '{timestamp}.{body}',
        timestamp: { header: 'Calendly-Webhook-Signature', prefix: 't=' },
      },
      rules: [
        {
          kind: '{/event}',
          subject_id: '{/payload/uri}',
          actor: { email: '{/payload/email}', display: '{/payload/name}' },
          target: [
            { type: 'meeting', id: '{/payload/scheduled_event/uri}', display: '{/payload/scheduled_event/name}' },
          ],
          time: '{/created_at}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          event: 'invitee.created',
          created_at: '2026-11-20T13:00:00.000000Z',
          payload: {
            uri: 'https://api.calendly.com/scheduled_events/A/invitees/B',
            name: 'John Doe',
            email: 'test@example.com',
            scheduled_event: { uri: 'https://api.calendly.com/scheduled_events/A', name: '15 minutes' },
          },
        },
        sign: (body, now) => ({
          'calendly-webhook-signature': `t=${seconds(now)},v1=${hmac('sha256', 'hex', `${seconds(now)}.${body}`)}`,
        }),
        becomes: [['invitee.created', 'meeting:https://api.calendly.com/scheduled_events/A']],
      },
    ],
  },
  {
    name: 'Contentful',
    secret: SECRET,
    definition: {
      proof: { type: 'token', header: 'X-Secret' },
      rules: [
        {
          kind: {
            template: '{header:x-contentful-topic}',
            map: { 'ContentManagement.Entry.publish': 'entry.published' },
            default: 'entry.changed',
          },
          subject_id: '{/sys/id}',
          target: [
            { type: 'entry', id: '{/sys/id}' },
            { type: 'space', id: '{/sys/space/sys/id}' },
          ],
          time: '{/sys/updatedAt}',
          key: '{header:x-contentful-topic}:{/sys/id}:{/sys/revision}',
        },
      ],
    },
    deliveries: [
      {
        headers: {
          'x-contentful-topic': 'ContentManagement.Entry.publish',
          'content-type': 'application/vnd.contentful.management.v1+json',
        },
        body: {
          sys: {
            type: 'Entry',
            id: '3uz',
            space: { sys: { id: 's1' } },
            updatedAt: '2026-11-20T13:00:00Z',
            revision: 1,
          },
          fields: {},
        },
        sign: () => ({ 'x-secret': SECRET }),
        becomes: [['entry.published', 'entry:3uz']],
      },
    ],
  },
  {
    name: 'Mandrill',
    secret: SECRET,
    definition: {
      proof: {
        type: 'hmac',
        algorithm: 'sha1',
        header: 'X-Mandrill-Signature',
        encoding: 'base64',
        signed: `${ADDRESS}{form}`,
      },
      decode: [{ at: '/mandrill_events' }],
      each: '/mandrill_events',
      rules: [
        {
          kind: 'mail.{./event}',
          subject_id: '{./_id}',
          target: [{ type: 'mail', id: '{./_id}', display: '{./msg/subject}' }],
          time: '{./ts}',
          key: '{./event}:{./_id}:{./ts}',
        },
      ],
    },
    deliveries: [
      {
        headers: FORM,
        body: `mandrill_events=${encodeURIComponent(JSON.stringify(mails()))}`,
        sign: () => ({
          'x-mandrill-signature': hmac('sha1', 'base64', ADDRESS, 'mandrill_events', JSON.stringify(mails())),
        }),
        becomes: [
          ['mail.send', 'mail:a1'],
          ['mail.open', 'mail:a1'],
        ],
      },
    ],
  },
  {
    name: 'Statuspage',
    secret: SECRET,
    definition: {
      proof: BY_QUERY,
      redact: ['/meta/unsubscribe'],
      rules: [
        {
          when: [{ at: '/incident/id', exists: true }],
          kind: 'incident.{/incident/status}',
          subject_id: '{/incident/id}',
          target: [
            { type: 'incident', id: '{/incident/id}', display: '{/incident/name}', url: '{/incident/shortlink}' },
            { type: 'page', id: '{/page/id}' },
          ],
          text: '{/incident/incident_updates/0/body}',
          time: '{/incident/updated_at}',
          key: '{/incident/id}:{/incident/incident_updates/0/id}',
        },
      ],
    },
    deliveries: [
      {
        query: QUERY,
        body: {
          meta: { unsubscribe: 'http://statustest.flyingkleinbrothers.com:5000/?unsubscribe=hidden' },
          page: { id: 'j2mfxwj97wnj', status_indicator: 'major' },
          incident: {
            id: 'lbkhbwn21v5q',
            name: 'Virginia Is Down',
            status: 'identified',
            shortlink: 'http://j.mp/18zyDQx',
            updated_at: '2026-11-20T13:00:00-06:00',
            incident_updates: [{ id: 'drfcwbnpxnr6', body: 'A postmortem follows.' }],
          },
        },
        becomes: [['incident.identified', 'incident:lbkhbwn21v5q']],
      },
    ],
  },
]

function mails(): object[] {
  return [
    { event: 'send', _id: 'a1', ts: 1763640000, msg: { subject: 'Welcome' } },
    { event: 'open', _id: 'a1', ts: 1763640060, msg: { subject: 'Welcome' } },
  ]
}
