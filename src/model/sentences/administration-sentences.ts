/** Sentences for things around code: alerts, apps, requests, purchases, sponsors. See `kind-sentences.ts`. */
import type { VerbSentences } from './sentence-families.js'

/** A request for a role that takes a paid seat. */
const asked = [
  ...['{actor} requested role {role} for {concerned}', 'Role {role} was requested for {concerned}'],
  ...['{actor} requested a billable role for {concerned}', 'A billable role was requested'],
]

/** @param done `approved` or `denied` */
const decided = (done: string) => [
  ...[`{actor} ${done} role {role} for {concerned}`, `Role {role} for {concerned} was ${done}`],
  ...[`{actor} ${done} a billable role for {concerned}`, `A billable role was ${done}`],
]

export const UPKEEP_SENTENCES: Readonly<Record<string, VerbSentences>> = {
  bypass_request_push_ruleset: requested('push past ruleset'),
  bypass_request_secret_scanning: requested('push with secret'),
  code_scanning_alert: {
    appeared_in_branch: [
      'Code scanning alert {place} appeared in {ref}',
      'Code scanning alert {place} appeared in a branch',
    ],
    updated_assignment: ['{actor} changed who is assigned to {place}', 'Who is assigned to {place} changed'],
  },
  custom_property: { promote_to_enterprise: 'promoted ~custom property' },
  custom_property_promoted_to_enterprise: { promote_to_enterprise: 'promoted ~custom property' },
  custom_property_values: {
    updated: [
      '{actor} changed the {fields} of {place}',
      'The {fields} of {place} changed',
      'changed ~custom properties of',
    ],
  },
  branch_protection_configuration: {
    enabled: ['{actor} switched on branch protection of {within}', 'Branch protection of {within} was switched on'],
    disabled: ['{actor} switched off branch protection of {within}', 'Branch protection of {within} was switched off'],
  },
  dependabot_alert: {
    created: ['Dependabot alert {place} was opened'],
    assignees_changed: ['{actor} changed who is assigned to {place}', 'Who is assigned to {place} changed'],
  },
  deployment_protection_rule: {
    requested: [
      'Deployment to {environment} in {within} waits for a protection rule',
      'A deployment in {within} waits for a protection rule',
    ],
  },
  deployment_review: {
    requested: [
      '{actor} asked {reviewer} to approve deployment to {environment} in {within}',
      'Deployment to {environment} in {within} waits for approval',
      'A deployment in {within} waits for approval',
    ],
    approved: [
      '{actor} approved deployment to {environment} in {within}',
      '{actor} approved a deployment in {within}',
      'A deployment in {within} was approved',
    ],
    rejected: [
      '{actor} rejected deployment to {environment} in {within}',
      '{actor} rejected a deployment in {within}',
      'A deployment in {within} was rejected',
    ],
  },
  dismissal_request_code_scanning: requested('dismiss'),
  dismissal_request_dependabot: requested('dismiss'),
  dismissal_request_secret_scanning: requested('dismiss'),
  exemption_request_push_ruleset: requested('push past ruleset'),
  exemption_request_secret_scanning: requested('push with secret'),
  github_app_authorization: {
    removed: ['{self} revoked the authorization of an app', '{actor} revoked the authorization of an app'],
  },
  installation: {
    created: 'installed ~app',
    deleted: 'uninstalled ~app',
    suspended: 'suspended ~app',
    unsuspended: 'unsuspended ~app',
    new_permissions_accepted: [
      '{actor} accepted new permissions of app {place}',
      'New permissions of app {place} were accepted',
    ],
  },
  installation_repositories: {
    added: [
      '{actor} gave app {place} access to {repositories}',
      'App {place} got access to {repositories}',
      '{actor} gave app {place} access to repositories',
    ],
    removed: [
      '{actor} revoked access to {repositories} from app {place}',
      'App {place} lost access to {repositories}',
      '{actor} revoked access to repositories from app {place}',
    ],
  },
  installation_target: {
    renamed: [
      '{actor} renamed account {from} to {object}',
      'Account {from} was renamed to {object}',
      'renamed ~account',
    ],
  },
  issue_dependencies: {
    blocked_by_added: ['{actor} marked {place} as blocked by {blocking_issue}', '{place} is blocked by another issue'],
    blocked_by_removed: [
      '{actor} marked {place} as no longer blocked by {blocking_issue}',
      '{place} is no longer blocked by another issue',
    ],
    blocking_added: ['{actor} marked {place} as blocking {blocked_issue}', '{place} blocks another issue'],
    blocking_removed: [
      '{actor} marked {place} as no longer blocking {blocked_issue}',
      '{place} no longer blocks another issue',
    ],
  },
  marketplace_purchase: {
    purchased: 'bought',
    cancelled: 'cancelled',
    changed: ['{actor} switched to {object}', 'The purchase changed to {object}'],
    pending_change: ['{actor} will switch to {object}', 'The purchase will change to {object}'],
    pending_change_cancelled: ['{actor} cancelled the switch to {object}', 'The switch to {object} was cancelled'],
  },
  merge_group: {
    checks_requested: ['{actor} requested checks of {place}', 'Checks of {place} were requested'],
    deleted: ['{place} left the merge queue'],
  },
  meta: { deleted: ['{actor} deleted {object} of {within}', '{object} of {within} was deleted', 'deleted ~webhook'] },
  org_block: {
    blocked: ['{actor} blocked {concerned}', '{concerned} was blocked'],
    unblocked: ['{actor} unblocked {concerned}', '{concerned} was unblocked'],
  },
  member_approval: {
    enqueued: asked,
    'enqueued=queued': asked,
    approved: decided('approved'),
    'approved=approved': decided('approved'),
    denied: decided('denied'),
    'denied=rejected': decided('denied'),
  },
  page: { built: ['{actor} built the pages of {place}', 'The pages of {place} were built'] },
  personal_access_token_request: {
    created: [
      '{actor} requested access with token {token}',
      '{actor} requested access with token {object}',
      'Access with token {object} was requested',
    ],
    approved: ['{actor} approved access with token {object}', 'Access with token {object} was approved'],
    denied: ['{actor} denied access with token {object}', 'Access with token {object} was denied'],
    cancelled: [
      '{actor} withdrew a request for access with token {object}',
      'A request for access with token {object} was withdrawn',
    ],
  },
  project_card: { converted: ['{actor} turned {place} into an issue', '{place} was turned into an issue'] },
  realm_user_settings_defaults: {
    updated: ['{actor} changed setting {object} for new users', 'Setting {object} for new users was changed'],
  },
  repository_import: {
    success: ['{actor} imported {place}', '{place} was imported'],
    failure: ['{actor} tried to import {place}', 'Import of {place}'],
    cancelled: ['{actor} cancelled the import of {place}', 'The import of {place} was cancelled'],
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
    assigned: ['{actor} assigned {assignee} to {place}', 'assigned'],
    unassigned: ['{actor} unassigned {assignee} from {place}', 'unassigned'],
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
      '{actor} changed the {settings} of {within}',
      'The {settings} of {within} changed',
      '{actor} changed the security settings of {within}',
      'The security settings of {within} changed',
    ],
  },
  sponsorship: {
    created: ['{actor} began to sponsor {concerned}', '{concerned} has a new sponsor'],
    cancelled: ['{actor} stopped sponsoring {concerned}', '{concerned} lost a sponsor'],
    updated: ['{actor} changed a sponsorship of {concerned}', 'A sponsorship of {concerned} changed'],
    tier_changed: [
      '{actor} changed the tier of the sponsorship of {concerned}',
      'The tier of a sponsorship of {concerned} changed',
    ],
    pending_cancellation: ['{actor} will stop sponsoring {concerned}', '{concerned} will lose a sponsor'],
    pending_tier_change: [
      '{actor} will change the tier of the sponsorship of {concerned}',
      'The tier of a sponsorship of {concerned} will change',
    ],
  },
  sub_issues: {
    sub_issue_added: ['{actor} added sub-issue {sub_issue} to {place}', '{place} got a sub-issue'],
    sub_issue_removed: ['{actor} removed sub-issue {sub_issue} from {place}', '{place} lost a sub-issue'],
    parent_issue_added: ['{actor} made {place} part of {parent_issue}', '{place} got a parent issue'],
    parent_issue_removed: ['{actor} made {place} no longer part of {parent_issue}', '{place} lost its parent issue'],
  },
  team: {
    added_to_repository: ['{actor} gave team {team} access to {within}', 'Team {team} got access to {within}'],
    removed_from_repository: [
      '{actor} revoked access to {within} from team {team}',
      'Team {team} lost access to {within}',
    ],
  },
  team_add: { added: ['{actor} gave team {team} access to {within}', 'Team {team} got access to {within}'] },
  wiki: {
    created: ['{actor} created wiki page {object} in {within}', 'Wiki page {object} was created in {within}'],
    updated: ['{actor} changed wiki page {object} in {within}', 'Wiki page {object} was changed in {within}'],
    deleted: ['{actor} deleted wiki page {object} in {within}', 'Wiki page {object} was deleted in {within}'],
  },
  workflow_dispatch: {
    created: ['{actor} started workflow {object} on {within}', 'Workflow {object} on {within} was started'],
  },
}

/** Requests to bypass a rule. @param act such as `dismiss` */
function requested(act: string): VerbSentences {
  const about = (done: string, was: string) => [
    `{actor} ${done} the request of {concerned} to ${act} {place}`,
    `{actor} ${done} the request to ${act} {place}`,
    `The request to ${act} {place} ${was}`,
  ]
  return {
    created: [`{actor} asked to ${act} {place}`, `A request to ${act} {place} was made`],
    completed: about('completed', 'is complete'),
    cancelled: [`{actor} withdrew the request to ${act} {place}`, `The request to ${act} {place} was withdrawn`],
    response_submitted: about('answered', 'was answered'),
    'response_submitted=approved': about('approved', 'was approved'),
    'response_submitted=rejected': about('rejected', 'was rejected'),
    response_dismissed: about('dismissed an answer to', 'lost an answer'),
  }
}
