import { ADDRESS, bodyHmac, hmac, SECRET, type Service } from './service.js'

const zendeskTime = (now: number) => new Date(now).toISOString().replace(/\.\d+/u, '')

/** Services for dealing with customers. */
export const CUSTOMERS: Service[] = [
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
            eventId: 2,
            subscriptionId: 12346,
            portalId: 62515,
            occurredAt: 1763640001000,
            objectId: 123,
            subscriptionType: 'contact.propertyChange',
            propertyName: 'firstname',
            propertyValue: 'Ada',
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
]
