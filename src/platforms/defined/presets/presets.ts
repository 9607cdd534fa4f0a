import type { SourceDefinition } from '../../../model/sources/source-definition.js'
import { alertmanager, grafana, pagerDuty, sentry } from './operations.js'
import { otlpLogs } from './telemetry.js'
import { jira, linear } from './trackers.js'
import { bitbucket, mattermost, slack, stripe } from './work.js'

/** A definition without the name that an operator gives it. */
export type Preset = Omit<SourceDefinition, 'name'>

/** Definitions for known services. The README of their samples lists the sources. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map([
  ['alertmanager', alertmanager],
  ['grafana', grafana],
  ['sentry', sentry],
  ['pagerduty', pagerDuty],
  ['stripe', stripe],
  ['slack', slack],
  ['mattermost', mattermost],
  ['jira', jira],
  ['linear', linear],
  ['bitbucket', bitbucket],
  ['otlp-logs', otlpLogs],
])
