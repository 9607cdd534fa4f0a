import { generateKeyPairSync, sign } from 'node:crypto'
import { bodyHmac, FORM, hmac, SECRET, type Service, type ServiceDelivery, seconds } from './service.js'

const slackSignature: ServiceDelivery['sign'] = (body, now) => ({
  'x-slack-request-timestamp': seconds(now),
  'x-slack-signature': `v0=${hmac('sha256', 'hex', `v0:${seconds(now)}:${body}`)}`,
})

const DISCORD = generateKeyPairSync('ed25519')
const discordKey = Buffer.from(String(DISCORD.publicKey.export({ format: 'jwk' }).x), 'base64url').toString('hex')
const discordSignature: ServiceDelivery['sign'] = (body, now) => ({
  'x-signature-timestamp': seconds(now),
  'x-signature-ed25519': sign(null, Buffer.from(seconds(now) + body), DISCORD.privateKey).toString('hex'),
})

/** Services for messages and meetings. */
export const TALK: Service[] = [
  {
    name: 'Slack, interactivity',
    secret: SECRET,
    definition: {
      proof: { type: 'slack' },
      redact: ['/token', '/response_url'],
      answer: '',
      rules: [
        {
          when: [{ at: '/type', is: 'block_actions' }],
          kind: 'action.{/actions/0/type}',
          subject_id: '{/actions/0/action_id}',
          actor: { id: '{/user/id}', display: '{/user/username}' },
          target: [
            { type: 'message', id: '{/container/channel_id}/{/container/message_ts}' },
            { type: 'channel', id: '{/channel/id}', display: '{/channel/name}' },
          ],
          text: '{/actions/0/value}',
          time: '{/actions/0/action_ts}',
          key: '{/trigger_id}',
        },
      ],
    },
    deliveries: [
      {
        headers: FORM,
        body: `payload=${encodeURIComponent(
          JSON.stringify({
            type: 'block_actions',
            user: { id: 'U1', username: 'ada', name: 'ada', team_id: 'T1' },
            api_app_id: 'A1',
            token: 'a-verification-token',
            container: { type: 'message', message_ts: '1763640000.000200', channel_id: 'C1' },
            trigger_id: '12466734323.1395872398',
            team: { id: 'T1', domain: 'acme' },
            channel: { id: 'C1', name: 'ops' },
            response_url: 'https://hooks.slack.com/actions/T1/1/hidden',
            actions: [{ action_id: 'approve', type: 'button', value: 'deploy-7', action_ts: '1763640001.000100' }],
          }),
        )}`,
        sign: slackSignature,
        becomes: [['action.button', 'message:C1/1763640000.000200']],
        answer: '',
      },
    ],
  },
  {
    name: 'Slack, slash commands',
    secret: SECRET,
    definition: {
      proof: { type: 'slack' },
      redact: ['/token', '/response_url'],
      answer: '',
      rules: [
        {
          when: [{ at: '/command', exists: true }],
          kind: 'command.given',
          subject_id: '{/command}',
          actor: { id: '{/user_id}', display: '{/user_name}' },
          target: [{ type: 'channel', id: '{/channel_id}', display: '{/channel_name}' }],
          text: '{/text}',
          key: '{/trigger_id}',
        },
      ],
    },
    deliveries: [
      {
        headers: FORM,
        body: 'token=a-verification-token&team_id=T1&channel_id=C1&channel_name=ops&user_id=U1&user_name=ada&command=%2Fdeploy&text=app+7&response_url=https%3A%2F%2Fhooks.slack.com%2Fhidden&trigger_id=13345224609.738474920',
        sign: slackSignature,
        becomes: [['command.given', 'channel:C1']],
        answer: '',
      },
    ],
  },
  {
    name: 'Discord, interactions',
    secret: discordKey,
    definition: {
      proof: {
        type: 'ed25519',
        header: 'X-Signature-Ed25519',
        encoding: 'hex',
        signed: '{timestamp}{body}',
        timestamp: { header: 'X-Signature-Timestamp' },
      },
      redact: ['/token'],
      challenge: { when: [{ at: '/type', is: 1 }], answer: { type: 1 } },
      answer: { type: 5 },
      rules: [
        {
          when: [{ at: '/type', is: 2 }],
          kind: 'command.given',
          subject_id: '{/data/name}',
          actor: { id: '{/member/user/id}', display: '{/member/user/username}' },
          target: [
            { type: 'channel', id: '{/channel_id}' },
            { type: 'guild', id: '{/guild_id}' },
          ],
          key: '{/id}',
        },
      ],
    },
    deliveries: [
      {
        body: { application_id: '84502', id: '84646', token: 'hidden', type: 1, version: 1 },
        sign: discordSignature,
        answer: { type: 1 },
      },
      {
        body: {
          application_id: '845027738276462632',
          channel_id: '772908445358620702',
          data: { id: '846462639134605312', name: 'deploy', type: 1 },
          guild_id: '772904309264089089',
          id: '846462639134605312',
          member: { user: { id: '53908232506183680', username: 'ian' } },
          token: 'hidden',
          type: 2,
          version: 1,
        },
        sign: discordSignature,
        becomes: [['command.given', 'channel:772908445358620702']],
        answer: { type: 5 },
      },
    ],
  },
  {
    name: 'Telegram',
    secret: SECRET,
    definition: {
      proof: { type: 'token', header: 'X-Telegram-Bot-Api-Secret-Token' },
      rules: [
        {
          when: [{ at: '/message', exists: true }],
          kind: 'message.created',
          subject_id: '{/message/message_id}',
          actor: { id: '{/message/from/id}', display: '{/message/from/username}' },
          target: [
            { type: 'message', id: '{/message/chat/id}/{/message/message_id}' },
            { type: 'chat', id: '{/message/chat/id}', display: ['{/message/chat/title}', '{/message/chat/username}'] },
          ],
          text: '{/message/text}',
          time: '{/message/date}',
          key: 'update:{/update_id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          update_id: 10000,
          message: {
            date: 1763640000,
            chat: { id: -1001234567890, type: 'supergroup', title: 'Ops' },
            message_id: 1365,
            from: { id: 1111111, first_name: 'Ada', username: 'ada' },
            text: '/start',
          },
        },
        sign: () => ({ 'x-telegram-bot-api-secret-token': SECRET }),
        becomes: [['message.created', 'message:-1001234567890/1365']],
      },
    ],
  },
  {
    name: 'WhatsApp Cloud',
    secret: SECRET,
    definition: {
      proof: bodyHmac('X-Hub-Signature-256', { prefix: 'sha256=' }),
      echo: { query: 'hub.challenge' },
      ignore: [[{ at: '/entry/0/changes/0/value/statuses', exists: true }]],
      each: '/entry/[*]/changes/[*]/value/messages',
      rules: [
        {
          when: [{ at: './type', exists: true }],
          kind: 'message.created',
          subject_id: '{./id}',
          actor: { id: '{./from}', display: '{/entry/0/changes/0/value/contacts/0/profile/name}' },
          target: [
            { type: 'message', id: '{./id}' },
            { type: 'phone', id: '{/entry/0/changes/0/value/metadata/phone_number_id}' },
          ],
          text: '{./text/body}',
          time: '{./timestamp}',
          key: '{./id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          object: 'whatsapp_business_account',
          entry: [
            {
              id: '102290129340398',
              changes: [
                {
                  value: {
                    messaging_product: 'whatsapp',
                    metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
                    contacts: [{ profile: { name: 'Sheena Nelson' }, wa_id: '16505551234' }],
                    messages: [
                      {
                        from: '16505551234',
                        id: 'wamid.A',
                        timestamp: '1763640000',
                        type: 'text',
                        text: { body: 'Hello' },
                      },
                      {
                        from: '16505551234',
                        id: 'wamid.B',
                        timestamp: '1763640001',
                        type: 'image',
                        image: { id: '1' },
                      },
                    ],
                  },
                  field: 'messages',
                },
              ],
            },
          ],
        },
        sign: body => ({ 'x-hub-signature-256': `sha256=${hmac('sha256', 'hex', body)}` }),
        becomes: [
          ['message.created', 'message:wamid.A'],
          ['message.created', 'message:wamid.B'],
        ],
      },
    ],
  },
  {
    name: 'Zoom',
    secret: SECRET,
    definition: {
      proof: {
        ...bodyHmac('x-zm-signature', { prefix: 'v0=' }),
        signed: 'v0:{timestamp}:{body}',
        timestamp: { header: 'x-zm-request-timestamp' },
      },
      challenge: {
        when: [{ at: '/event', is: 'endpoint.url_validation' }],
        answer: { plainToken: '{/payload/plainToken}', encryptedToken: { hmac: '{/payload/plainToken}' } },
      },
      rules: [
        {
          kind: '{/event}',
          subject_id: '{/payload/object/id}',
          target: [
            { type: 'meeting', id: '{/payload/object/uuid}', display: '{/payload/object/topic}' },
            { type: 'account', id: '{/payload/account_id}' },
          ],
          time: '{/event_ts}',
          key: '{/event}:{/payload/object/uuid}:{/event_ts}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          event: 'endpoint.url_validation',
          payload: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw' },
          event_ts: 1654503849680,
        },
        sign: zoomSignature,
        answer: {
          plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
          encryptedToken: hmac('sha256', 'hex', 'qgg8vlvZRS6UYooatFL8Aw'),
        },
      },
      {
        body: {
          event: 'meeting.started',
          event_ts: 1763640000000,
          payload: {
            account_id: 'AAAAAABBBB',
            object: { id: '1234567890', uuid: '4444AAAiAAAAAiAiAiiAii==', host_id: 'x1', topic: 'My Meeting', type: 8 },
          },
        },
        sign: zoomSignature,
        becomes: [['meeting.started', 'meeting:4444AAAiAAAAAiAiAiiAii==']],
      },
    ],
  },
  {
    name: 'Twilio',
    secret: SECRET,
    definition: {
      proof: {
        type: 'hmac',
        algorithm: 'sha1',
        header: 'X-Twilio-Signature',
        encoding: 'base64',
        signed: 'https://ledger.example.org/webhooks/in/s{form}',
      },
      answer: '',
      rules: [
        {
          when: [{ at: '/MessageStatus', exists: true }],
          kind: 'message.{/MessageStatus}',
          subject_id: '{/MessageSid}',
          target: [
            { type: 'message', id: '{/MessageSid}' },
            { type: 'phone', id: '{/To}' },
          ],
          key: '{/MessageSid}:{/MessageStatus}',
        },
      ],
    },
    deliveries: [
      {
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
        body: 'SmsSid=SM1&SmsStatus=delivered&MessageStatus=delivered&To=%2B15558675310&MessageSid=SM1&AccountSid=AC1&From=%2B15017122661&ApiVersion=2010-04-01',
        // The fields by name, each with its value, after the address.
        sign: () => ({
          'x-twilio-signature': hmac(
            ...(['sha1', 'base64', 'https://ledger.example.org/webhooks/in/s'] as const),
            'AccountSidAC1ApiVersion2010-04-01From+15017122661MessageSidSM1MessageStatusdelivered',
            'SmsSidSM1SmsStatusdeliveredTo+15558675310',
          ),
        }),
        becomes: [['message.delivered', 'message:SM1']],
        answer: '',
      },
    ],
  },
]

function zoomSignature(body: string, now: number): Record<string, string> {
  return {
    'x-zm-request-timestamp': seconds(now),
    'x-zm-signature': `v0=${hmac('sha256', 'hex', `v0:${seconds(now)}:${body}`)}`,
  }
}
