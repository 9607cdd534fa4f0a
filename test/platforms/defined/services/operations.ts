import { BY_QUERY, QUERY, SECRET, type Service, type ServiceDelivery } from './service.js'

const ALARM = {
  AlarmName: 'cpu',
  AWSAccountId: '123456789012',
  NewStateValue: 'ALARM',
  NewStateReason: 'Threshold Crossed',
  StateChangeTime: '2026-11-20T13:00:00.000+0000',
  Region: 'US West (Oregon)',
}
const snsLogin: ServiceDelivery['sign'] = () => ({
  authorization: `Basic ${Buffer.from(`sns:${SECRET}`).toString('base64')}`,
})
const byToken: ServiceDelivery['sign'] = () => ({ 'x-token': SECRET })
const TOKEN = { type: 'token', header: 'X-Token' }

/** Services that watch others. */
export const OPERATIONS: Service[] = [
  {
    name: 'AWS SNS',
    secret: SECRET,
    definition: {
      proof: { type: 'basic', username: 'sns' },
      delivery_id: '{header:x-amz-sns-message-id}',
      decode: [{ at: '/Message' }],
      rules: [
        {
          when: [{ at: '/Message/AlarmName', exists: true }],
          kind: {
            template: '{/Message/NewStateValue}',
            map: { ALARM: 'alarm.raised', OK: 'alarm.cleared' },
            default: 'alarm.changed',
          },
          subject_id: '{/Message/AlarmName}',
          target: [
            { type: 'alarm', id: '{/Message/AWSAccountId}/{/Message/AlarmName}' },
            { type: 'topic', id: '{/TopicArn}' },
          ],
          title: '{/Subject}',
          text: '{/Message/NewStateReason}',
          time: '{/Message/StateChangeTime}',
          key: '{/MessageId}',
        },
      ],
    },
    deliveries: [
      {
        headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification' },
        body: {
          Type: 'Notification',
          MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
          TopicArn: 'arn:aws:sns:us-west-2:123456789012:alarms',
          Subject: 'ALARM: "cpu" in US West (Oregon)',
          Message: JSON.stringify(ALARM),
          Timestamp: '2026-11-20T13:00:01.000Z',
        },
        sign: snsLogin,
        becomes: [['alarm.raised', 'alarm:123456789012/cpu']],
      },
      {
        headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'SubscriptionConfirmation' },
        body: {
          Type: 'SubscriptionConfirmation',
          MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
          TopicArn: 'arn:aws:sns:us-west-2:123456789012:alarms',
          Message: 'You have chosen to subscribe to the topic.',
          SubscribeURL: 'https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription',
        },
        sign: snsLogin,
        becomes: [['delivery.unmapped', 'delivery:']],
      },
    ],
  },
  {
    name: 'Google Pub/Sub',
    secret: SECRET,
    definition: {
      proof: BY_QUERY,
      decode: [{ at: '/message/data', base64: true }],
      rules: [
        {
          kind: 'build.{/message/data/status}',
          subject_id: '{/message/data/id}',
          target: [
            { type: 'build', id: '{/message/data/id}', url: '{/message/data/logUrl}' },
            { type: 'subscription', id: '{/subscription}' },
          ],
          time: '{/message/publishTime}',
          key: '{/message/messageId}',
        },
      ],
    },
    deliveries: [
      {
        query: QUERY,
        body: {
          message: {
            attributes: { buildId: 'b1', status: 'SUCCESS' },
            data: Buffer.from(
              JSON.stringify({ id: 'b1', status: 'SUCCESS', logUrl: 'https://console.cloud.google.com/b1' }),
            ).toString('base64'),
            messageId: '2070443601311540',
            publishTime: '2026-11-20T13:00:00.749Z',
          },
          subscription: 'projects/acme/subscriptions/builds',
        },
        becomes: [['build.success', 'build:b1']],
      },
    ],
  },
  {
    name: 'Datadog',
    secret: SECRET,
    definition: {
      proof: TOKEN,
      rules: [
        {
          kind: 'monitor.{/transition}',
          subject_id: '{/id}',
          target: [{ type: 'monitor', id: '{/id}', display: '{/title}', url: '{/link}' }],
          text: '{/body}',
          time: '{/date}',
          key: '{/id}:{/transition}:{/date}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          id: '123',
          title: '[Triggered] CPU',
          transition: 'Triggered',
          date: '1763640000000',
          link: 'https://app.datadoghq.com/event?id=1',
          body: 'CPU is high',
        },
        sign: byToken,
        becomes: [['monitor.triggered', 'monitor:123']],
      },
    ],
  },
  {
    name: 'UptimeRobot',
    secret: SECRET,
    definition: {
      proof: BY_QUERY,
      rules: [
        {
          kind: 'monitor.{/alertTypeFriendlyName}',
          subject_id: '{/monitorID}',
          target: [{ type: 'monitor', id: '{/monitorID}', display: '{/monitorFriendlyName}', url: '{/monitorURL}' }],
          text: '{/alertDetails}',
          time: '{/alertDateTime}',
        },
      ],
    },
    deliveries: [
      {
        query: QUERY,
        body: {
          monitorID: '1',
          monitorURL: 'https://example.org',
          monitorFriendlyName: 'web',
          alertTypeFriendlyName: 'Down',
          alertDetails: 'Timeout',
          alertDateTime: '1763640000',
        },
        becomes: [['monitor.down', 'monitor:1']],
      },
      {
        query: QUERY,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'monitorID=1&monitorURL=https%3A%2F%2Fexample.org&monitorFriendlyName=web&alertTypeFriendlyName=Up&alertDateTime=1763640060',
        becomes: [['monitor.up', 'monitor:1']],
      },
    ],
  },
  {
    name: 'Opsgenie',
    secret: SECRET,
    definition: {
      proof: TOKEN,
      rules: [
        {
          kind: 'alert.{/action}',
          subject_id: '{/alert/alertId}',
          actor: { id: '{/alert/username}' },
          target: [{ type: 'alert', id: '{/alert/alertId}', display: '{/alert/message}' }],
          time: ['{/alert/updatedAt}', '{/alert/createdAt}'],
        },
      ],
    },
    deliveries: [
      {
        body: {
          action: 'Create',
          alert: {
            alertId: '052652ac',
            message: 'Disk',
            tags: [],
            tinyId: '23',
            createdAt: 1763640000000,
            updatedAt: 1763640000000000000,
            username: 'ada',
          },
          source: { name: 'web', type: 'API' },
        },
        sign: byToken,
        becomes: [['alert.create', 'alert:052652ac']],
      },
    ],
  },
  {
    name: 'New Relic',
    secret: SECRET,
    definition: {
      proof: { type: 'token', header: 'Authorization', prefix: 'Bearer ' },
      rules: [
        {
          kind: 'issue.{/state}',
          subject_id: '{/id}',
          target: [{ type: 'issue', id: '{/id}', display: '{/title}', url: '{/issueUrl}' }],
          time: '{/updatedAt}',
          key: '{/id}:{/state}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          id: 'i1',
          issueUrl: 'https://radar-api.service.newrelic.com/i1',
          title: 'CPU',
          priority: 'CRITICAL',
          state: 'ACTIVATED',
          createdAt: 1763640000000,
          updatedAt: 1763640000000,
        },
        sign: () => ({ authorization: `Bearer ${SECRET}` }),
        becomes: [['issue.activated', 'issue:i1']],
      },
    ],
  },
  {
    name: 'Honeycomb',
    secret: SECRET,
    definition: {
      proof: { type: 'token', header: 'X-Honeycomb-Webhook-Token' },
      rules: [
        {
          kind: 'trigger.{/status}',
          subject_id: '{/id}',
          target: [{ type: 'trigger', id: '{/id}', display: '{/name}', url: '{/result_url}' }],
          text: '{/summary}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          version: 'v0.1.0',
          id: 'abdcefg',
          name: 'Slow',
          status: 'TRIGGERED',
          summary: 'p95 above 2 s',
          result_url: 'https://ui.honeycomb.io/x',
        },
        sign: () => ({ 'x-honeycomb-webhook-token': SECRET }),
        becomes: [['trigger.triggered', 'trigger:abdcefg']],
      },
    ],
  },
  {
    name: 'Kubernetes events, by an exporter',
    secret: SECRET,
    definition: {
      proof: TOKEN,
      rules: [
        {
          kind: '{/involvedObject/kind}.{/reason}',
          subject_id: '{/involvedObject/uid}',
          actor: { id: '{/source/component}' },
          target: [
            { type: 'object', id: '{/involvedObject/namespace}/{/involvedObject/kind}/{/involvedObject/name}' },
            { type: 'namespace', id: '{/involvedObject/namespace}' },
          ],
          text: '{/message}',
          time: ['{/lastTimestamp}', '{/eventTime}'],
          key: '{/metadata/uid}:{/count}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          metadata: { name: 'web.17a', namespace: 'default', uid: 'u1' },
          reason: 'BackOff',
          message: 'Back-off restarting failed container',
          source: { component: 'kubelet', host: 'n1' },
          lastTimestamp: '2026-11-20T13:00:00Z',
          count: 5,
          type: 'Warning',
          involvedObject: { kind: 'Pod', namespace: 'default', name: 'web-1', uid: 'p1' },
        },
        sign: byToken,
        becomes: [['pod.backoff', 'object:default/Pod/web-1']],
      },
    ],
  },
]
