/** Alerts and advisories: the problem, its package or file, its severity. */
import type { TargetNode } from '../../../model/events/event.js'
import { shortDigest } from '../../mapping/identifiers.js'
import { toNode } from '../../mapping/node.js'
import { idAt, known, numberAt, objectAt, objectsAt, type Payload, textAt, webUrlAt } from '../../mapping/payload.js'
import type { Hook } from '../hook.js'
import { gitHubPage, repositoryPage } from '../links.js'
import { carrierNode, namedBy, pathInRepository } from '../target-nodes.js'
import type { DescribedEvent, Description } from './description.js'

/** The members that all alerts share. */
function alertFacts(alert: Payload | undefined): Record<string, unknown> {
  return {
    state: textAt(alert, 'state'),
    reason: textAt(alert, 'dismissed_reason') ?? textAt(alert, 'dismiss_reason') ?? textAt(alert, 'resolution'),
  }
}

function alertMetadata(alert: Payload | undefined): Record<string, unknown> {
  return known({ number: numberAt(alert, 'number'), state: textAt(alert, 'state') })
}

function describeDependabotAlert(_: Hook, alert: Payload | undefined): Description {
  const vulnerability = objectAt(alert, 'security_vulnerability')
  const dependency = objectAt(alert, 'dependency')
  const advisory = objectAt(alert, 'security_advisory')
  const package_ = objectAt(dependency, 'package') ?? objectAt(vulnerability, 'package')
  const name = textAt(package_, 'name')
  return {
    display: named(name, textAt(advisory, 'summary') ?? textAt(advisory, 'ghsa_id')),
    metadata: alertMetadata(alert),
    text: textAt(alert, 'dismissed_comment'),
    facts: {
      ...alertFacts(alert),
      package: name,
      ecosystem: textAt(package_, 'ecosystem'),
      severity: textAt(vulnerability, 'severity') ?? textAt(advisory, 'severity'),
      advisory: textAt(advisory, 'ghsa_id'),
      path: textAt(dependency, 'manifest_path'),
    },
  }
}

function describeCodeScanningAlert({ body }: Hook, alert: Payload | undefined): Description {
  const rule = objectAt(alert, 'rule')
  const instance = objectAt(alert, 'most_recent_instance')
  const place = objectAt(instance, 'location')
  const path = textAt(place, 'path')
  const what = textAt(rule, 'description') ?? textAt(rule, 'name') ?? textAt(rule, 'id')
  return {
    display: what !== undefined && path !== undefined ? `${what} (${path})` : what,
    metadata: alertMetadata(alert),
    text: textAt(alert, 'dismissed_comment') ?? textAt(objectAt(instance, 'message'), 'text'),
    facts: {
      ...alertFacts(alert),
      severity: textAt(rule, 'security_severity_level') ?? textAt(rule, 'severity'),
      rule: textAt(rule, 'id'),
      tool: textAt(objectAt(alert, 'tool'), 'name'),
      path,
      line: idAt(place, 'start_line'),
      ref: textAt(body, 'ref') ?? textAt(instance, 'ref'),
    },
  }
}

function describeSecretAlert(_: Hook, alert: Payload | undefined): Description {
  return {
    display: secretType(alert),
    metadata: alertMetadata(alert),
    text: textAt(alert, 'resolution_comment'),
    facts: {
      ...alertFacts(alert),
      secret_type: textAt(alert, 'secret_type'),
      validity: textAt(alert, 'validity'),
      assignee: namedBy(objectAt(alert, 'assigned_to')),
    },
  }
}

function secretType(alert: Payload | undefined): string | undefined {
  return textAt(alert, 'secret_type_display_name') ?? textAt(alert, 'secret_type')?.replaceAll('_', ' ')
}

/** The place where a secret was found: a file, or the text of an issue, pull request or discussion. */
function describeSecretLocation(hook: Hook, location: Payload | undefined): Description {
  const alert = objectAt(hook.body, 'alert')
  const details = objectAt(location, 'details')
  const [path, line, commit] = [textAt(details, 'path'), idAt(details, 'start_line'), textAt(details, 'commit_sha')]
  const file = path !== undefined && line !== undefined ? `${path}:${line}` : path
  const number = pathInRepository(hook, idAt(alert, 'number'))
  const blob = path !== undefined && commit !== undefined ? repositoryPage(hook, 'blob', commit, path) : undefined
  const alertNode = alertNodeOf(hook, 'secret_scanning_alert', {
    number: idAt(alert, 'number'),
    display: secretType(alert),
    url: webUrlAt(alert, 'html_url'),
  })
  const id = number === undefined || !location ? undefined : `${number}/${shortDigest(JSON.stringify(location))}`
  return {
    subjectId: id,
    id,
    display: file ?? textAt(location, 'type')?.replaceAll('_', ' '),
    url: blob !== undefined && line !== undefined ? `${blob}#L${line}` : blob,
    parent: alertNode,
    facts: { ...alertFacts(alert), secret_type: textAt(alert, 'secret_type'), path, line },
  }
}

/** The alert that is the parent of an event. */
export function alertNodeOf(
  hook: Hook,
  type: string,
  { number, display, url }: { number: string | undefined; display?: string | undefined; url?: string | undefined },
): TargetNode {
  return toNode(type, {
    id: pathInRepository(hook, number),
    display: display ?? (number === undefined ? undefined : `alert ${number}`),
    url,
    metadata: known({ number: number === undefined ? undefined : Number(number) }),
    parent: carrierNode(hook),
  })
}

function describeSecretScan(hook: Hook): Description {
  const { body } = hook
  const words = [textAt(body, 'type'), 'scan', textAt(body, 'source') && `of ${textAt(body, 'source')}`]
  return {
    target: toNode('secret_scanning_scan', {
      display: words.filter(Boolean).join(' ').replaceAll('_', ' '),
      parent: carrierNode(hook),
    }),
    facts: { pattern: textAt(body, 'custom_pattern_name') },
  }
}

function describeVulnerabilityAlert(hook: Hook, alert: Payload | undefined): Description {
  const name = textAt(alert, 'affected_package_name')
  const number = idAt(alert, 'number')
  const advisory = textAt(alert, 'ghsa_id') ?? textAt(alert, 'external_identifier')
  const words = [textAt(alert, 'external_identifier') ?? advisory, textAt(alert, 'affected_range')]
  return {
    display: named(name, words.filter(Boolean).join(' ') || undefined),
    url: number === undefined ? undefined : repositoryPage(hook, 'security', 'dependabot', number),
    metadata: alertMetadata(alert),
    facts: { ...alertFacts(alert), package: name, severity: textAt(alert, 'severity'), advisory },
  }
}

function describeAdvisory(hook: Hook, advisory: Payload | undefined): Description {
  const packages = objectsAt(advisory, 'vulnerabilities').map(item => textAt(objectAt(item, 'package'), 'name'))
  const ghsa = textAt(advisory, 'ghsa_id')
  return {
    display: textAt(advisory, 'summary') ?? ghsa,
    url: advisoryUrl(hook, advisory, ghsa),
    text: textAt(advisory, 'description'),
    facts: {
      package: packages.find(name => name !== undefined),
      severity: textAt(advisory, 'severity'),
      advisory: ghsa,
      state: textAt(advisory, 'state'),
    },
  }
}

/** Global advisories belong to no repository. Their page is only one of their references. */
function advisoryUrl(hook: Hook, advisory: Payload | undefined, ghsa: string | undefined): string | undefined {
  const own = webUrlAt(advisory, 'html_url')
  if (own !== undefined || hook.repository) return own
  const pages = objectsAt(advisory, 'references').flatMap(page => webUrlAt(page, 'url') ?? [])
  const named = pages.find(page => ghsa !== undefined && page.endsWith(`/${ghsa}`))
  return named ?? (ghsa === undefined ? undefined : gitHubPage(hook, 'advisories', ghsa)) ?? pages[0]
}

/** `lodash: Prototype pollution` */
function named(name: string | undefined, words: string | undefined): string | undefined {
  return name === undefined || words === undefined ? (words ?? name) : `${name}: ${words}`
}

export const ALERTS: Readonly<Record<string, DescribedEvent>> = {
  dependabot_alert: {
    verbs: [
      ...['created', 'dismissed', 'fixed', 'reintroduced', 'reopened', 'auto_dismissed', 'auto_reopened'],
      'assignees_changed',
    ],
    describe: describeDependabotAlert,
  },
  code_scanning_alert: {
    verbs: [
      'created',
      'fixed',
      'reopened',
      'reopened_by_user',
      'closed_by_user',
      'appeared_in_branch',
      'updated_assignment',
    ],
    describe: describeCodeScanningAlert,
  },
  secret_scanning_alert: {
    verbs: ['created', 'resolved', 'reopened', 'removed', 'validated', 'publicly_leaked', 'assigned', 'unassigned'],
    describe: describeSecretAlert,
  },
  secret_scanning_alert_location: { verbs: ['created'], describe: describeSecretLocation },
  secret_scanning_scan: { verbs: ['completed'], describe: describeSecretScan },
  repository_vulnerability_alert: {
    verbs: ['created', 'dismissed', 'reopened', 'resolved'],
    describe: describeVulnerabilityAlert,
  },
  repository_advisory: { verbs: ['published', 'reported'], describe: describeAdvisory },
  security_advisory: { verbs: ['published', 'updated', 'withdrawn', 'performed'], describe: describeAdvisory },
}
