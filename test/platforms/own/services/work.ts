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

const zendeskTime = (now: number) => new Date(now).toISOString().replace(/\.\d+/u, '')

/** Services that teams, shops and offices work with. */
export const WORK: Service[] = [
  {
    name: 'Shopify',
    secret: SECRET,
    definition: {
      proof: bodyHmac('X-Shopify-Hmac-Sha256', { encoding: 'base64' }),
      delivery_id: '{header:x-shopify-webhook-id}',
      rules: [
        {
          when: [{ at: 'header:x-shopify-topic', starts_with: 'orders/' }],
          kind: {
            template: '{header:x-shopify-topic}',
            map: { 'orders/create': 'order.created', 'orders/paid': 'order.paid' },
            default: 'order.changed',
          },
          subject_id: '{/id}',
          actor: { id: '{/customer/id}', email: '{/customer/email}' },
          target: [
            { type: 'order', id: '{/id}', display: '{/name}' },
            { type: 'shop', id: '{header:x-shopify-shop-domain}' },
          ],
          title: '{/name}: {/total_price} {/currency}',
          time: ['{/updated_at}', '{/created_at}'],
        },
      ],
    },
    deliveries: [
      {
        headers: {
          'x-shopify-topic': 'orders/create',
          'x-shopify-shop-domain': 'acme.myshopify.com',
          'x-shopify-webhook-id': 'b54557e4',
        },
        body: '{"id":820982911946154508,"created_at":"2026-11-20T13:00:00-05:00","name":"#9999","total_price":"254.98","currency":"USD","customer":{"id":115310627314723954,"email":"jon@example.com"}}',
        sign: body => ({ 'x-shopify-hmac-sha256': hmac('sha256', 'base64', body) }),
        becomes: [['order.created', 'order:820982911946154508']],
      },
    ],
  },
  {
    name: 'Zendesk',
    secret: SECRET,
    definition: {
      proof: {
        ...bodyHmac('X-Zendesk-Webhook-Signature', { encoding: 'base64' }),
        signed: '{timestamp}{body}',
        timestamp: { header: 'X-Zendesk-Webhook-Signature-Timestamp' },
      },
      rules: [
        {
          kind: { template: '{/type}', strip: 'zen:event-type:' },
          subject_id: '{/detail/id}',
          target: [{ type: 'ticket', id: '{/detail/id}', display: '{/detail/subject}' }],
          time: '{/time}',
          key: '{/id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          type: 'zen:event-type:ticket.created',
          account_id: 22129848,
          id: '2b24ef10-19d6-4740-93cf-8f98ec4776c0',
          time: '2026-11-20T13:00:00Z',
          zendesk_event_version: '2022-06-20',
          subject: 'zen:ticket:12345',
          detail: { id: '12345', subject: 'Help', status: 'OPEN' },
          event: {},
        },
        sign: (body, now) => ({
          'x-zendesk-webhook-signature-timestamp': zendeskTime(now),
          'x-zendesk-webhook-signature': hmac('sha256', 'base64', zendeskTime(now), body),
        }),
        becomes: [['ticket.created', 'ticket:12345']],
      },
    ],
  },
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
    name: 'Intercom',
    secret: SECRET,
    definition: {
      proof: { type: 'hmac', algorithm: 'sha1', header: 'X-Hub-Signature', prefix: 'sha1=', encoding: 'hex' },
      ignore: [[{ at: '/topic', is: 'ping' }]],
      rules: [
        {
          kind: '{/topic}',
          subject_id: ['{/data/item/id}', '{/id}'],
          target: [{ type: 'conversation', id: '{/data/item/id}' }],
          time: '{/created_at}',
          key: '{/id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          type: 'notification_event',
          app_id: 'a1',
          data: { type: 'notification_event_data', item: { type: 'conversation', id: '147' } },
          id: 'notif_1',
          topic: 'conversation.user.created',
          created_at: 1763640000,
        },
        sign: body => ({ 'x-hub-signature': `sha1=${hmac('sha1', 'hex', body)}` }),
        becomes: [['conversation.user.created', 'conversation:147']],
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
        ...{
          separator: ',',
          signed: '{timestamp}.{body}',
          timestamp: { header: 'Calendly-Webhook-Signature', prefix: 't=' },
        },
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
    name: 'HubSpot',
    secret: SECRET,
    definition: {
      proof: {
        ...bodyHmac('X-HubSpot-Signature-v3', { encoding: 'base64' }),
        signed: `POST${ADDRESS}{body}{timestamp}`,
        timestamp: { header: 'X-HubSpot-Request-Timestamp' },
      },
      each: '',
      rules: [
        {
          kind: '{./subscriptionType}',
          subject_id: '{./objectId}',
          target: [
            { type: 'contact', id: '{./objectId}' },
            { type: 'portal', id: '{./portalId}' },
          ],
          text: '{./propertyName} = {./propertyValue}',
          time: '{./occurredAt}',
          key: '{./eventId}:{./subscriptionId}:{./objectId}:{./occurredAt}',
        },
      ],
    },
    deliveries: [
      {
        body: [
          {
            eventId: 1,
            subscriptionId: 12345,
            portalId: 62515,
            occurredAt: 1763640000000,
            subscriptionType: 'contact.creation',
            objectId: 123,
          },
          {
            ...{ eventId: 2, subscriptionId: 12346, portalId: 62515, occurredAt: 1763640001000, objectId: 123 },
            ...{ subscriptionType: 'contact.propertyChange', propertyName: 'firstname', propertyValue: 'Ada' },
          },
        ],
        sign: (body, now) => ({
          'x-hubspot-request-timestamp': String(now),
          'x-hubspot-signature-v3': hmac('sha256', 'base64', 'POST', ADDRESS, body, String(now)),
        }),
        becomes: [
          ['contact.creation', 'contact:123'],
          ['contact.propertychange', 'contact:123'],
        ],
      },
    ],
  },
  {
    name: 'DocuSign',
    secret: SECRET,
    definition: {
      proof: bodyHmac('X-DocuSign-Signature-1', { encoding: 'base64' }),
      rules: [
        {
          kind: {
            template: '{/event}',
            map: { 'envelope-completed': 'envelope.completed' },
            default: 'envelope.changed',
          },
          subject_id: '{/data/envelopeId}',
          actor: { email: '{/data/envelopeSummary/sender/email}' },
          target: [{ type: 'envelope', id: '{/data/envelopeId}', display: '{/data/envelopeSummary/emailSubject}' }],
          time: '{/generatedDateTime}',
          key: '{/event}:{/data/envelopeId}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          event: 'envelope-completed',
          apiVersion: 'v2.1',
          generatedDateTime: '2026-11-20T13:00:00.0000000Z',
          data: {
            envelopeId: '4b728be4',
            envelopeSummary: { status: 'completed', emailSubject: 'Please sign', sender: { email: 'ada@example.org' } },
          },
        },
        sign: body => ({ 'x-docusign-signature-1': hmac('sha256', 'base64', body) }),
        becomes: [['envelope.completed', 'envelope:4b728be4']],
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
        ...{ type: 'hmac', algorithm: 'sha1', header: 'X-Mandrill-Signature', encoding: 'base64' },
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
