/** Presets for telemetry: reports of programs about themselves. */
import type { SourceValue } from '../../../model/sources/source-definition.js'
import type { Preset } from './presets.js'

const RESOURCE = '/resourceLogs/0/resource'

/** The text of an attribute of the record or of the resource. Attributes are lists of names with values. */
function attribute(name: string, of: '.' | typeof RESOURCE = '.'): string {
  return `{${of}/attributes/[key=${name}]/value/stringValue}`
}

const SERVICE = attribute('service.name', RESOURCE)
const EVENT_NAMES = ['{./eventName}', attribute('event.name')]

/** Words for the severity numbers, four numbers each. */
const SEVERITIES = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']
const KIND_OF_SEVERITY: SourceValue = {
  template: '{./severityNumber}',
  map: Object.fromEntries(
    Array.from({ length: 24 }, (_, index) => [String(index + 1), `log.${SEVERITIES[Math.floor(index / 4)]}`]),
  ),
  default: 'log.recorded',
}
const FAILED: SourceValue = {
  template: '{./severityNumber}',
  map: Object.fromEntries(Array.from({ length: 8 }, (_, index) => [String(index + 17), 'failed'])),
}

/** One event for each log record. A record has no id, so the request's bytes and its place in them identify it. */
export const otlpLogs: Preset = {
  description: 'OpenTelemetry logs',
  proof: { type: 'token', header: 'Authorization', prefix: 'Bearer ' },
  each: '/resourceLogs/[*]/scopeLogs/[*]/logRecords',
  answer: {},
  rules: [
    {
      when: [{ at: '/resourceLogs', exists: true }],
      kind: [...EVENT_NAMES, KIND_OF_SEVERITY],
      subject_type: 'service',
      subject_id: [SERVICE, 'unknown_service'],
      verb: 'recorded',
      outcome: FAILED,
      actor: { id: [attribute('user.id'), attribute('enduser.id')], display: attribute('user.name') },
      target: [
        { type: 'trace', id: '{./traceId}' },
        {
          type: 'service',
          id: [`${attribute('service.namespace', RESOURCE)}/${SERVICE}`, SERVICE, 'unknown_service'],
          display: SERVICE,
        },
        {
          type: 'environment',
          id: [attribute('deployment.environment.name', RESOURCE), attribute('deployment.environment', RESOURCE)],
        },
      ],
      title: [...EVENT_NAMES, attribute('exception.type'), SERVICE],
      text: [
        ...['{./body/stringValue}', '{./body/intValue}', '{./body/doubleValue}', '{./body/boolValue}'],
        attribute('exception.message'),
      ],
      url: attribute('url.full'),
      time: ['{./timeUnixNano}', '{./observedTimeUnixNano}'],
      key: `uid:${attribute('log.record.uid')}`,
    },
  ],
}
