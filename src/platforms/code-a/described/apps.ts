/** Apps, hooks, tokens and money: what was installed, requested, bought or sponsored, and by whom. */

import { isObject } from '../../../model/json-object.js'
import { parseUrl } from '../../../model/parse-url.js'
import { idAt, known, memberOf, objectAt, objectsAt, type Payload, textAt, webUrlAt } from '../../mapping/payload.js'
import { toChanges } from '../changes.js'
import type { Hook } from '../hook.js'
import { accountPage, gitHubPage } from '../links.js'
import { accountNode, loginOf, namedBy } from '../target-nodes.js'
import type { DescribedEvent, Description } from './description.js'

/** An app may be installed on many repositories, and the payload names all of them. */
const MOST_NAMES = 20

function describeInstallation({ body }: Hook, installation: Payload | undefined): Description {
  const account = objectAt(installation, 'account')
  const app = textAt(installation, 'app_slug')
  const lists = ['repositories', 'repositories_added', 'repositories_removed']
  const repositories = lists.flatMap(name => objectsAt(body, name)).flatMap(each => textAt(each, 'full_name') ?? [])
  return {
    display: app ?? (loginOf(account) === undefined ? undefined : `app on ${loginOf(account)}`),
    facts: {
      app,
      repositories: repositories.length > 0 ? repositories.slice(0, MOST_NAMES) : undefined,
      repository_selection: textAt(body, 'repository_selection') ?? textAt(installation, 'repository_selection'),
      concerned: namedBy(objectAt(body, 'requester')),
    },
  }
}

/** The account of an installation was renamed. */
function describeInstallationTarget(hook: Hook, account: Payload | undefined): Description {
  return { display: loginOf(account) ?? textAt(account, 'slug'), parent: account && accountNode(hook, account) }
}

function describeAuthorization(hook: Hook, person: Payload | undefined): Description {
  const login = loginOf(person)
  return {
    display: login,
    url: webUrlAt(person, 'html_url') ?? accountPage(hook, login),
    facts: { concerned: namedBy(person) },
  }
}

function describeSponsorship(hook: Hook, sponsorship: Payload | undefined): Description {
  const sponsored = objectAt(sponsorship, 'sponsorable')
  const sponsor = loginOf(objectAt(sponsorship, 'sponsor'))
  const tier = textAt(objectAt(sponsorship, 'tier'), 'name')
  const login = loginOf(sponsored)
  const who = [sponsor, 'sponsors', login].filter(Boolean).join(' ')
  return {
    display: tier === undefined ? who : `${who} (${tier})`,
    url: login === undefined ? undefined : gitHubPage(hook, 'sponsors', login),
    parent: sponsored && accountNode(hook, sponsored),
    facts: { concerned: namedBy(sponsored), tier, effective_date: textAt(hook.body, 'effective_date') },
  }
}

function describePurchase(hook: Hook, purchase: Payload | undefined): Description {
  const account = objectAt(purchase, 'account')
  const plan = textAt(objectAt(purchase, 'plan'), 'name')
  const before = textAt(objectAt(objectAt(hook.body, 'previous_marketplace_purchase'), 'plan'), 'name')
  const changes = before === undefined ? {} : toChanges([['plan', before, plan]])
  return {
    display:
      [plan === undefined ? undefined : `plan ${plan}`, loginOf(account)].filter(Boolean).join(' for ') || undefined,
    parent: account && accountNode(hook, account),
    facts: {
      concerned: namedBy(account),
      plan,
      billing_cycle: textAt(purchase, 'billing_cycle'),
      changes: Object.keys(changes).length > 0 ? changes : undefined,
      effective_date: textAt(hook.body, 'effective_date'),
    },
  }
}

function describeTokenRequest(_: Hook, request: Payload | undefined): Description {
  const owner = objectAt(request, 'owner')
  const name = textAt(request, 'token_name')
  const of = loginOf(owner)
  return {
    display: name === undefined ? of : [`“${name}”`, of].filter(Boolean).join(' of '),
    text: textAt(request, 'reason'),
    facts: {
      concerned: namedBy(owner),
      token: name,
      repository_selection: textAt(request, 'repository_selection'),
      permissions: permissionsOf(objectAt(request, 'permissions_added')),
    },
  }
}

/** `contents: read`, from permission names nested under their scope. */
function permissionsOf(added: Payload | undefined): string[] | undefined {
  const groups = Object.values(added ?? {}).filter(isObject)
  const permissions = groups.flatMap(group =>
    Object.keys(group).flatMap(name => {
      const level = textAt(group, name)
      return level === undefined ? [] : [`${name}: ${level}`]
    }),
  )
  return permissions.length > 0 ? permissions.slice(0, MOST_NAMES) : undefined
}

/** The hook itself was deleted. Its URL may contain a secret, so only the host is shown. */
function describeHook({ body }: Hook, hook: Payload | undefined): Description {
  const address = textAt(objectAt(hook, 'config'), 'url')
  const host = address === undefined ? undefined : parseUrl(address)?.host
  const events = memberOf(hook, 'events')
  const names = Array.isArray(events) ? events.filter(event => typeof event === 'string') : []
  return {
    display: host ? `webhook to ${host}` : `webhook ${idAt(body, 'hook_id') ?? ''}`.trim(),
    metadata: known({ events: names.length > 0 ? names.slice(0, MOST_NAMES) : undefined }),
  }
}

export const APPS: Readonly<Record<string, DescribedEvent>> = {
  installation: {
    verbs: ['created', 'deleted', 'suspended', 'unsuspended', 'new_permissions_accepted'],
    describe: describeInstallation,
  },
  installation_repositories: { verbs: ['added', 'removed'], describe: describeInstallation },
  installation_target: { verbs: ['renamed'], describe: describeInstallationTarget },
  github_app_authorization: { verbs: ['removed'], describe: describeAuthorization },
  sponsorship: {
    verbs: ['created', 'updated', 'cancelled', 'tier_changed', 'pending_cancellation', 'pending_tier_change'],
    describe: describeSponsorship,
  },
  marketplace_purchase: {
    verbs: ['purchased', 'cancelled', 'changed', 'pending_change', 'pending_change_cancelled'],
    describe: describePurchase,
  },
  personal_access_token_request: {
    verbs: ['created', 'approved', 'denied', 'cancelled'],
    describe: describeTokenRequest,
  },
  meta: { verbs: ['deleted'], describe: describeHook },
}
