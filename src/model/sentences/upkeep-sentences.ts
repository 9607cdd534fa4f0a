/** Sentences for things around code: alerts, apps, requests, purchases, sponsors. See `kind-sentences.ts`. */
import type { VerbSentences } from './sentence-families.js'

/** A request for a role that takes a paid seat. */
const asked = [
  ...['{doer} requested role {role} for {concerned}', 'Role {role} was requested for {concerned}'],
  ...['{doer} requested a billable role for {concerned}', 'A billable role was requested'],
]

/** @param done `approved` or `denied` */
const decided = (done: string) => [
  ...[`{doer} ${done} role {role} for {concerned}`, `Role {role} for {concerned} was ${done}`],
  ...[`{doer} ${done} a billable role for {concerned}`, `A billable role was ${done}`],
]

export const UPKEEP_SENTENCES: Readonly<Record<string, VerbSentences>> = {
  bypass_request_push_ruleset: requested('push past ruleset'),
  bypass_request_secret_scanning: requested('push with secret'),
  code_scanning_alert: {
    appeared_in_branch: [
      'Code scanning alert {place} appeared in {ref}',
      'Code scanning alert {place} appeared in a branch',
    ],
    updated_assignment: ['{doer} changed who is assigned to {place}', 'Who is assigned to {place} changed'],
  },
  custom_property: { promote_to_enterprise: 'promoted ~custom property' },
  custom_property_promoted_to_enterprise: { promote_to_enterprise: 'promoted ~custom property' },
  custom_property_values: {
    updated: [
      '{doer} changed the {fields} of {place}',
      'The {fields} of {place} changed',
      'changed ~custom properties of',
    ],
  },
  branch_protection_configuration: {
    enabled: ['{doer} switched on branch protection of {within}', 'Branch protection of {within} was switched on'],
    disabled: ['{doer} switched off branch protection of {within}', 'Branch protection of {within} was switched off'],
  },
  dependabot_alert: {
    created: ['Dependabot alert {place} was opened'],
    assignees_changed: ['{doer} changed who is assigned to {place}', 'Who is assigned to {place} changed'],
  },
  deployment_protection_rule: {
    requested: [
      'Deployment to {environment} in {within} waits for a protection rule',
      'A deployment in {within} waits for a protection rule',
    ],
  },
  deployment_review: {
    requested: [
      '{doer} asked {reviewer} to approve deployment to {environment} in {within}',
      'Deployment to {environment} in {within} waits for approval',
      'A deployment in {within} waits for approval',
    ],
    approved: [
      '{doer} approved deployment to {environment} in {within}',
      '{doer} approved a deployment in {within}',
      'A deployment in {within} was approved',
    ],
    rejected: [
      '{doer} rejected deployment to {environment} in {within}',
      '{doer} rejected a deployment in {within}',
      'A deployment in {within} was rejected',
    ],
  },
  dismissal_request_code_scanning: requested('dismiss'),
  dismissal_request_dependabot: requested('dismiss'),
  dismissal_request_secret_scanning: requested('dismiss'),
  exemption_request_push_ruleset: requested('push past ruleset'),
  exemption_request_secret_scanning: requested('push with secret'),
  github_app_authorization: {
    removed: ['{self} revoked the authorization of an app', '{doer} revoked the authorization of an app'],
  },
  installation: {
    created: 'installed ~app',
    deleted: 'uninstalled ~app',
    suspended: 'suspended ~app',
    unsuspended: 'unsuspended ~app',
    new_permissions_accepted: [
      '{doer} accepted new permissions of app {place}',
      'New permissions of app {place} were accepted',
    ],
  },
  installation_repositories: {
    added: [
      '{doer} gave app {place} access to {repositories}',
      'App {place} got access to {repositories}',
      '{doer} gave app {place} access to repositories',
    ],
    removed: [
      '{doer} revoked access to {repositories} from app {place}',
      'App {place} lost access to {repositories}',
      '{doer} revoked access to repositories from app {place}',
    ],
  },
  installation_target: {
    renamed: [
      '{doer} renamed account {from} to {object}',
      'Account {from} was renamed to {object}',
      'renamed ~account',
    ],
  },
  issue_dependencies: {
    blocked_by_added: ['{doer} marked {place} as blocked by {blocking_issue}', '{place} is blocked by another issue'],
    blocked_by_removed: [
      '{doer} marked {place} as no longer blocked by {blocking_issue}',
      '{place} is no longer blocked by another issue',
    ],
    blocking_added: ['{doer} marked {place} as blocking {blocked_issue}', '{place} blocks another issue'],
    blocking_removed: [
      '{doer} marked {place} as no longer blocking {blocked_issue}',
      '{place} no longer blocks another issue',
    ],
  },
  marketplace_purchase: {
    purchased: 'bought',
    cancelled: 'cancelled',
    changed: ['{doer} switched to {object}', 'The purchase changed to {object}'],
    pending_change: ['{doer} will switch to {object}', 'The purchase will change to {object}'],
    pending_change_cancelled: ['{doer} cancelled the switch to {object}', 'The switch to {object} was cancelled'],
  },
  merge_group: {
    checks_requested: ['{doer} requested checks of {place}', 'Checks of {place} were requested'],
    deleted: ['{place} left the merge queue'],
  },
  meta: { deleted: ['{doer} deleted {object} of {within}', '{object} of {within} was deleted', 'deleted ~webhook'] },
  org_block: {
    blocked: ['{doer} blocked {concerned}', '{concerned} was blocked'],
    unblocked: ['{doer} unblocked {concerned}', '{concerned} was unblocked'],
  },
  member_approval: {
    enqueued: asked,
    'enqueued=queued': asked,
    approved: decided('approved'),
    'approved=approved': decided('approved'),
    denied: decided('denied'),
    'denied=rejected': decided('denied'),
  },
  page: { built: ['{doer} built the pages of {place}', 'The pages of {place} were built'] },
  personal_access_token_request: {
    created: [
      '{doer} requested access with token {token}',
      '{doer} requested access with token {object}',
      'Access with token {object} was requested',
    ],
    approved: ['{doer} approved access with token {object}', 'Access with token {object} was approved'],
    denied: ['{doer} denied access with token {object}', 'Access with token {object} was denied'],
    cancelled: [
      '{doer} withdrew a request for access with token {object}',
      'A request for access with token {object} was withdrawn',
    ],
  },
  project_card: { converted: ['{doer} turned {place} into an issue', '{place} was turned into an issue'] },
  realm_user_settings_defaults: {
    updated: ['{doer} changed setting {object} for new users', 'Setting {object} for new users was changed'],
  },
  repository_import: {
    success: ['{doer} imported {place}', '{place} was imported'],
    failure: ['{doer} tried to import {place}', 'Import of {place}'],
    cancelled: ['{doer} cancelled the import of {place}', 'The import of {place} was cancelled'],
  },
  repository_vulnerability_alert: { created: ['Vulnerability alert {place} was opened'] },
  schedule: {
    scheduled: [
      'Workflow {workflow} of {within} was started on schedule',
      'A scheduled workflow of {within} was started',
    ],
  },
  secret_scanning_alert: {
    created: ['Secret scanning alert {place} was opened'],
    publicly_leaked: ['The secret of {place} leaked in public', 'A secret leaked in public'],
    assigned: ['{doer} assigned {assignee} to {place}', 'assigned'],
    unassigned: ['{doer} unassigned {assignee} from {place}', 'unassigned'],
  },
  secret_scanning_alert_location: { created: ['A secret was found in {place}'] },
  secret_scanning_scan: {
    completed: ['The {object} in {within} for secrets is complete', 'A scan for secrets is complete'],
  },
  security_advisory: {
    updated: ['Security advisory {place} was changed'],
    performed: ['Security advisory {place} was published'],
  },
  security_and_analysis: {
    updated: [
      '{doer} changed the {settings} of {within}',
      'The {settings} of {within} changed',
      '{doer} changed the security settings of {within}',
      'The security settings of {within} changed',
    ],
  },
  sponsorship: {
    created: ['{doer} began to sponsor {concerned}', '{concerned} has a new sponsor'],
    cancelled: ['{doer} stopped sponsoring {concerned}', '{concerned} lost a sponsor'],
    updated: ['{doer} changed a sponsorship of {concerned}', 'A sponsorship of {concerned} changed'],
    tier_changed: [
      '{doer} changed the tier of the sponsorship of {concerned}',
      'The tier of a sponsorship of {concerned} changed',
    ],
    pending_cancellation: ['{doer} will stop sponsoring {concerned}', '{concerned} will lose a sponsor'],
    pending_tier_change: [
      '{doer} will change the tier of the sponsorship of {concerned}',
      'The tier of a sponsorship of {concerned} will change',
    ],
  },
  sub_issues: {
    sub_issue_added: ['{doer} added sub-issue {sub_issue} to {place}', '{place} got a sub-issue'],
    sub_issue_removed: ['{doer} removed sub-issue {sub_issue} from {place}', '{place} lost a sub-issue'],
    parent_issue_added: ['{doer} made {place} part of {parent_issue}', '{place} got a parent issue'],
    parent_issue_removed: ['{doer} made {place} no longer part of {parent_issue}', '{place} lost its parent issue'],
  },
  team: {
    added_to_repository: ['{doer} gave team {team} access to {within}', 'Team {team} got access to {within}'],
    removed_from_repository: [
      '{doer} revoked access to {within} from team {team}',
      'Team {team} lost access to {within}',
    ],
  },
  team_add: { added: ['{doer} gave team {team} access to {within}', 'Team {team} got access to {within}'] },
  wiki: {
    created: ['{doer} created wiki page {object} in {within}', 'Wiki page {object} was created in {within}'],
    updated: ['{doer} changed wiki page {object} in {within}', 'Wiki page {object} was changed in {within}'],
    deleted: ['{doer} deleted wiki page {object} in {within}', 'Wiki page {object} was deleted in {within}'],
  },
  workflow_dispatch: {
    created: ['{doer} started workflow {object} on {within}', 'Workflow {object} on {within} was started'],
  },
}

/** Requests to bypass a rule. @param act such as `dismiss` */
function requested(act: string): VerbSentences {
  const about = (done: string, was: string) => [
    `{doer} ${done} the request of {concerned} to ${act} {place}`,
    `{doer} ${done} the request to ${act} {place}`,
    `The request to ${act} {place} ${was}`,
  ]
  return {
    created: [`{doer} asked to ${act} {place}`, `A request to ${act} {place} was made`],
    completed: about('completed', 'is complete'),
    cancelled: [`{doer} withdrew the request to ${act} {place}`, `The request to ${act} {place} was withdrawn`],
    response_submitted: about('answered', 'was answered'),
    'response_submitted=approved': about('approved', 'was approved'),
    'response_submitted=rejected': about('rejected', 'was rejected'),
    response_dismissed: about('dismissed an answer to', 'lost an answer'),
  }
}
