/**
 * Requests to bypass a rule: to push against a rule, or to dismiss an alert. Under all of these event names, the
 * payload has an exemption request.
 */
import type { TargetNode } from '../../../model/events/event.js'
import {
  idAt,
  instantAt,
  known,
  numberAt,
  objectAt,
  objectsAt,
  type Payload,
  textAt,
  webUrlAt,
} from '../../mapping/payload.js'
import { toOutcome } from '../../mapping/words.js'
import type { Hook } from '../hook.js'
import { repositoryPage } from '../links.js'
import { carrierNode, repositoryId } from '../target-nodes.js'
import { alertNodeOf } from './alerts.js'
import type { DescribedEvent, Description } from './description.js'

/** By event name: the type of the alert that a request is about, and the page for such alerts. */
const ALERTS_OF: ReadonlyMap<string, { type: string; page: string }> = new Map([
  ['dismissal_request_code_scanning', { type: 'code_scanning_alert', page: 'code-scanning' }],
  ['dismissal_request_dependabot', { type: 'dependabot_alert', page: 'dependabot' }],
  ['dismissal_request_secret_scanning', { type: 'secret_scanning_alert', page: 'secret-scanning' }],
])

function describeRequest(hook: Hook): Description {
  const request = objectAt(hook.body, 'exemption_request')
  const response = objectAt(hook.body, 'exemption_response')
  const id = idAt(request, 'id')
  const asked = askedFor(request)
  const number = asked.flatMap(each => idAt(each, 'alert_number') ?? []).at(0)
  return {
    subjectId: id,
    id,
    display: wordsOf(asked) ?? (number === undefined ? undefined : `alert ${number}`),
    url: webUrlAt(request, 'html_url'),
    metadata: known({ number: numberAt(request, 'number'), state: textAt(request, 'status') }),
    parent: alertOf(hook, number),
    occurredAt: hook.nativeAction === 'created' ? instantAt(request, 'created_at') : instantAt(response, 'created_at'),
    text: textAt(request, 'requester_comment'),
    // The response's status. The status of the request is its state.
    outcome: response ? toOutcome(textAt(response, 'status')) : undefined,
    facts: {
      concerned: personAt(request, 'requester'),
      reviewer: personAt(response, 'reviewer'),
      state: textAt(request, 'status'),
      reason: asked.flatMap(each => textAt(each, 'reason') ?? textAt(each, 'bypass_reason') ?? []).at(0),
    },
  }
}

function askedFor(request: Payload | undefined): Payload[] {
  return objectsAt(objectAt(request, 'exemption_request_data'), 'data')
}

/** Names of the rules, or types of the secrets. */
function wordsOf(asked: readonly Payload[]): string | undefined {
  const words = asked.flatMap(each => {
    const secret = textAt(each, 'secret_type')?.replaceAll('_', ' ')
    return textAt(each, 'ruleset_name') ?? textAt(each, 'label') ?? secret ?? []
  })
  return [...new Set(words)].join(', ') || undefined
}

/** `requester_id` and `requester_login` */
function personAt(object: Payload | undefined, role: string): { id?: string; display?: string } | undefined {
  const person = known({ id: idAt(object, `${role}_id`), display: textAt(object, `${role}_login`) })
  return person.id === undefined && person.display === undefined ? undefined : person
}

function alertOf(hook: Hook, number: string | undefined): TargetNode | undefined {
  const alert = ALERTS_OF.get(hook.name)
  if (alert === undefined || number === undefined || repositoryId(hook) === undefined) return carrierNode(hook)
  return alertNodeOf(hook, alert.type, { number, url: repositoryPage(hook, 'security', alert.page, number) })
}

const REQUESTS_OF: DescribedEvent = {
  verbs: ['created', 'completed', 'cancelled', 'response_submitted', 'response_dismissed'],
  describe: describeRequest,
}

export const REQUESTS: Readonly<Record<string, DescribedEvent>> = {
  bypass_request_push_ruleset: REQUESTS_OF,
  bypass_request_secret_scanning: REQUESTS_OF,
  dismissal_request_code_scanning: REQUESTS_OF,
  dismissal_request_dependabot: REQUESTS_OF,
  dismissal_request_secret_scanning: REQUESTS_OF,
  exemption_request_push_ruleset: REQUESTS_OF,
  exemption_request_secret_scanning: REQUESTS_OF,
}
