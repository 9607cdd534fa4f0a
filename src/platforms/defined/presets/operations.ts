/** Presets for services that monitor other services. */
import type { Preset } from './presets.js'

/** One event for each alert of a group. Repeated notifications of an alert that still fires are repeats. */
const ALERT_RULES: Preset['rules'] = [alertRule('firing', './startsAt'), alertRule('resolved', './endsAt')]

function alertRule(status: 'firing' | 'resolved', time: string): Preset['rules'][number] {
  return {
    when: [{ at: './status', is: status }],
    kind: `alert.${status}`,
    subject_id: ['{./fingerprint}', '{./labels/alertname}'],
    outcome: status === 'firing' ? 'failed' : 'succeeded',
    target: [
      {
        type: 'alert',
        id: ['{./fingerprint}', '{./labels/alertname}'],
        display: '{./labels/alertname}',
        url: ['{./panelURL}', '{./dashboardURL}', '{./generatorURL}'],
      },
      { type: 'alert_rule', id: '{./labels/alertname}' },
    ],
    title: ['{./annotations/summary}', '{./labels/alertname}'],
    text: ['{./annotations/description}', '{./annotations/message}', '{./annotations/summary}'],
    url: ['{./panelURL}', '{./dashboardURL}', '{./generatorURL}'],
    time: `{${time}}`,
    key: ['{./fingerprint}:{./startsAt}:{./status}'],
  }
}

export const alertmanager: Preset = {
  description: 'Prometheus Alertmanager',
  proof: { type: 'token', header: 'Authorization', prefix: 'Bearer ' },
  each: '/alerts',
  rules: ALERT_RULES,
}

export const grafana: Preset = {
  description: 'Grafana Alerting',
  proof: { type: 'hmac', algorithm: 'sha256', header: 'X-Grafana-Alerting-Signature', encoding: 'hex' },
  each: '/alerts',
  rules: ALERT_RULES,
}

const SENTRY_ACTOR = { id: '{/actor/id}', display: '{/actor/name}' }

export const sentry: Preset = {
  description: 'Sentry',
  proof: { type: 'hmac', algorithm: 'sha256', header: 'Sentry-Hook-Signature', encoding: 'hex' },
  delivery_id: '{header:request-id}',
  rules: [
    {
      when: [{ at: 'header:sentry-hook-resource', is: 'issue' }],
      kind: 'issue.{/action}',
      subject_id: '{/data/issue/id}',
      actor: SENTRY_ACTOR,
      target: [
        {
          type: 'issue',
          id: '{/data/issue/id}',
          display: '{/data/issue/shortId}',
          url: ['{/data/issue/web_url}', '{/data/issue/permalink}'],
        },
        { type: 'project', id: '{/data/issue/project/slug}' },
      ],
      title: '{/data/issue/title}',
      text: '{/data/issue/culprit}',
      url: ['{/data/issue/web_url}', '{/data/issue/permalink}'],
      time: '{header:sentry-hook-timestamp}',
      key: 'issue:{/data/issue/id}:{/action}:{header:sentry-hook-timestamp}',
    },
    {
      when: [{ at: 'header:sentry-hook-resource', is: 'comment' }],
      kind: 'comment.{/action}',
      subject_id: '{/data/comment_id}',
      actor: SENTRY_ACTOR,
      target: [
        { type: 'comment', id: '{/data/comment_id}' },
        { type: 'issue', id: '{/data/issue_id}' },
        { type: 'project', id: '{/data/project_slug}' },
      ],
      text: '{/data/comment}',
      time: '{/data/timestamp}',
      key: 'comment:{/data/comment_id}:{/action}:{/data/timestamp}',
    },
    {
      when: [{ at: 'header:sentry-hook-resource', is: 'event_alert' }],
      kind: 'alert.triggered',
      subject_id: '{/data/event/event_id}',
      outcome: 'failed',
      target: [
        { type: 'alert_rule', id: '{/data/triggered_rule}' },
        { type: 'issue', id: '{/data/event/issue_id}' },
      ],
      title: '{/data/event/title}',
      text: ['{/data/event/message}', '{/data/event/culprit}'],
      url: '{/data/event/web_url}',
      time: '{/data/event/datetime}',
      key: 'alert:{/data/event/event_id}:{/data/triggered_rule}',
    },
    {
      when: [{ at: 'header:sentry-hook-resource', is: 'metric_alert' }],
      kind: 'alert.{/action}',
      subject_id: '{/data/metric_alert/id}',
      outcome: { template: '{/action}', map: { resolved: 'succeeded' }, default: 'failed' },
      target: [{ type: 'alert', id: '{/data/metric_alert/id}', display: '{/data/metric_alert/title}' }],
      title: '{/data/description_title}',
      text: '{/data/description_text}',
      url: '{/data/web_url}',
      time: '{header:sentry-hook-timestamp}',
      key: 'metric_alert:{/data/metric_alert/id}:{/action}:{header:sentry-hook-timestamp}',
    },
  ],
}

export const pagerDuty: Preset = {
  description: 'PagerDuty',
  proof: {
    type: 'hmac',
    algorithm: 'sha256',
    header: 'X-PagerDuty-Signature',
    encoding: 'hex',
    prefix: 'v1=',
    separator: ',',
  },
  delivery_id: '{/event/id}',
  ignore: [[{ at: '/event/event_type', is: 'pagey.ping' }]],
  rules: [
    {
      when: [{ at: '/event/event_type', starts_with: 'incident.' }],
      kind: '{/event/event_type}',
      subject_id: ['{/event/data/incident/id}', '{/event/data/id}'],
      outcome: {
        template: '{/event/event_type}',
        map: { 'incident.triggered': 'failed', 'incident.acknowledged': 'running', 'incident.resolved': 'succeeded' },
      },
      actor: { id: '{/event/agent/id}', display: '{/event/agent/summary}' },
      target: [
        {
          type: 'incident',
          id: ['{/event/data/incident/id}', '{/event/data/id}'],
          display: '#{/event/data/number}',
          url: ['{/event/data/incident/html_url}', '{/event/data/html_url}'],
        },
        { type: 'service', id: '{/event/data/service/id}', display: '{/event/data/service/summary}' },
      ],
      title: ['{/event/data/title}', '{/event/data/incident/summary}'],
      text: '{/event/data/content}',
      url: ['{/event/data/incident/html_url}', '{/event/data/html_url}'],
      time: '{/event/occurred_at}',
      key: '{/event/id}',
    },
    {
      when: [{ at: '/event/event_type', starts_with: 'service.' }],
      kind: '{/event/event_type}',
      subject_id: '{/event/data/id}',
      actor: { id: '{/event/agent/id}', display: '{/event/agent/summary}' },
      target: [{ type: 'service', id: '{/event/data/id}', display: '{/event/data/summary}' }],
      url: '{/event/data/html_url}',
      time: '{/event/occurred_at}',
      key: '{/event/id}',
    },
  ],
}
