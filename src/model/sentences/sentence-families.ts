/** Sentences shared by kinds of many object types; `kind-sentences.ts` explains how they are written. */
export type Templates = string | readonly string[]
export type VerbSentences = Readonly<Record<string, Templates>>

/** Things that people open, discuss and close. */
export const TRACKED: VerbSentences = {
  created: 'opened',
  updated: ['{actor} changed the {fields} of {place}', 'The {fields} of {place} changed', 'changed'],
  deleted: 'deleted',
  closed: 'closed',
  reopened: 'reopened',
  assigned: ['{actor} assigned {assignee} to {place}', '{assignee} was assigned to {place}', 'assigned'],
  unassigned: ['{actor} unassigned {assignee} from {place}', '{assignee} was unassigned from {place}', 'unassigned'],
  labeled: [
    ...['{actor} added label {label} to {place}', 'Label {label} was added to {place}', '{actor} labelled {place}'],
    '{place} was labelled',
  ],
  unlabeled: [
    ...['{actor} removed label {label} from {place}', 'Label {label} was removed from {place}'],
    ...['{actor} removed a label from {place}', 'A label was removed from {place}'],
  ],
  label_updated: ['{actor} changed the labels of {place}', 'The labels of {place} changed'],
  label_cleared: ['{actor} removed all labels from {place}', 'All labels were removed from {place}'],
  milestoned: [
    ...['{actor} added {place} to milestone {milestone}', '{place} was added to milestone {milestone}'],
    ...['{actor} added {place} to a milestone', '{place} was added to a milestone'],
  ],
  demilestoned: [
    ...['{actor} removed {place} from milestone {milestone}', '{place} was removed from milestone {milestone}'],
    ...['{actor} removed {place} from its milestone', '{place} was removed from its milestone'],
  ],
  locked: 'locked',
  unlocked: 'unlocked',
  transferred: [
    '{actor} moved {place} to {to}',
    '{place} was moved to {to}',
    '{actor} moved {place}',
    '{place} was moved',
  ],
  pinned: 'pinned',
  unpinned: 'unpinned',
  typed: ['{actor} set the type of {place}', 'The type of {place} was set'],
  untyped: ['{actor} removed the type of {place}', 'The type of {place} was removed'],
}

/** A text that a person writes. @param a such as `a comment`. @param where such as `on` */
export function writtenText(a: string, where: string): VerbSentences {
  const capital = a.charAt(0).toUpperCase() + a.slice(1)
  const done = (verb: string) => [
    ...[`{actor} ${verb} ${a} ${where} {within}`, `${capital} was ${verb} ${where} {within}`],
    ...[`{actor} ${verb} {place}`, `{place} was ${verb}`],
  ]
  return { created: done('added'), updated: done('edited'), deleted: done('deleted'), restored: done('restored') }
}

/** A thing that is created, changed and deleted, and whose name needs a noun. */
export function kept(noun: string): VerbSentences {
  const verbs = { created: 'created', updated: 'changed', deleted: 'deleted', restored: 'restored', closed: 'closed' }
  const all = { ...verbs, reopened: 'reopened', renamed: 'renamed', published: 'published' }
  return {
    ...Object.fromEntries(Object.entries(all).map(([verb, done]) => [verb, `${done} ~${noun}`])),
    updated: [
      ...[`{actor} changed the {fields} of ${noun} {place}`, `The {fields} of ${noun} {place} changed`],
      `changed ~${noun}`,
    ],
  }
}

/** A run on a machine; its outcome is at the end of the sentence. @param preposition before the place */
export function runs(noun: string, preposition = 'on'): VerbSentences {
  const capital = noun.charAt(0).toUpperCase() + noun.slice(1)
  const named = `${noun} {object} ${preposition} {place}`
  const over = (verb: string) => [
    ...[
      `{actor} ${verb} ${named}`,
      `{actor} ${verb} ${noun} {object}`,
      `{actor} ${verb} ${noun} ${preposition} {place}`,
    ],
  ]
  return {
    '*': [
      ...over('{ran}'),
      ...[`${capital} {object} ${preposition} {place}`, `${capital} {object}`, `${capital} ${preposition} {place}`],
    ],
    rerequested: over('requested another run of'),
    requested_action: over('requested an action of'),
    approved: over('approved'),
    rejected: over('rejected'),
  }
}

/** Accounts, which can be both actor and affected person. */
export const ACCOUNT: VerbSentences = {
  created: ['{self} signed up', '{actor} created user {concerned}', 'User {concerned} was created'],
  approved: ['{actor} approved user {concerned}', 'User {concerned} was approved'],
  updated: [
    ...['{self} changed their {fields}', '{actor} changed the {fields} of {concerned}'],
    ...['The {fields} of {concerned} changed', '{self} changed their profile'],
    ...['{actor} changed the profile of {concerned}', 'The profile of {concerned} changed'],
  ],
  deleted: ['{self} deleted their account', '{actor} deleted user {concerned}', 'User {concerned} was deleted'],
  removed: ['{self} left', '{actor} removed user {concerned}', 'User {concerned} was removed'],
  added: ['{self} joined', '{actor} added user {concerned}', 'User {concerned} was added'],
  logged_in: ['{self} logged in', '{concerned} logged in', '{actor} logged in'],
  logged_out: ['{self} logged out', '{concerned} logged out', '{actor} logged out'],
  confirmed_email: ['{concerned} confirmed an email address', '{actor} confirmed an email address'],
  promoted: [
    ...['{actor} promoted user {concerned} to {role}', 'User {concerned} was promoted to {role}'],
    ...['{actor} promoted user {concerned}', 'User {concerned} was promoted'],
  ],
  suspended: ['{actor} suspended user {concerned}', 'User {concerned} was suspended'],
  unsuspended: ['{actor} unsuspended user {concerned}', 'User {concerned} was unsuspended'],
  renamed: [
    ...['{actor} renamed user {from} to {concerned}', 'User {from} was renamed to {concerned}'],
    ...['{actor} renamed user {concerned}', 'User {concerned} was renamed'],
  ],
  failed_login: ['{concerned} failed to log in', 'A login failed on {place}'],
}

/** Members of a group or project. */
export const MEMBERSHIP: VerbSentences = {
  added: [
    ...[
      '{self} joined {place}',
      '{actor} added {concerned} to {place} with role {role}',
      '{actor} added {concerned} to {place}',
    ],
    ...['{concerned} was added to {place} with role {role}', '{concerned} was added to {place}'],
    ...['{actor} added a member to {place}', 'A member was added to {place}'],
  ],
  removed: [
    ...['{self} left {place}', '{actor} removed {concerned} from {place}', '{concerned} was removed from {place}'],
    ...['{actor} removed a member from {place}', 'A member was removed from {place}'],
  ],
  updated: [
    ...['{actor} gave {concerned} role {role} in {place}', '{concerned} got role {role} in {place}'],
    ...['{actor} changed the role of {concerned} in {place}', 'The role of {concerned} in {place} changed'],
    ...['{actor} changed a membership of {place}', 'A membership of {place} changed'],
  ],
  invited: [
    ...['{actor} invited {concerned} to {place}', '{concerned} was invited to {place}'],
    ...['{actor} invited a person to {place}', 'A person was invited to {place}'],
  ],
  requested: ['{concerned} asked to join {place}', '{actor} asked to join {place}', 'A person asked to join {place}'],
  denied: [
    ...['{actor} denied {concerned} access to {place}', '{concerned} was denied access to {place}'],
    'A person was denied access to {place}',
  ],
}

/** Members of a team of an organization. */
export const TEAM_MEMBERSHIP: VerbSentences = {
  ...MEMBERSHIP,
  added: [
    ...['{self} joined team {team} of {place}', '{actor} added {concerned} to team {team} of {place}'],
    ...['{concerned} was added to team {team} of {place}', ...listed(MEMBERSHIP.added)],
  ],
  removed: [
    ...['{self} left team {team} of {place}', '{actor} removed {concerned} from team {team} of {place}'],
    ...['{concerned} was removed from team {team} of {place}', ...listed(MEMBERSHIP.removed)],
  ],
}

function listed(templates: Templates = []): readonly string[] {
  return typeof templates === 'string' ? [templates] : templates
}

/** `member_added` of an organization is `added` of its members. */
export const ORGANIZATION: VerbSentences = Object.fromEntries(
  Object.entries(MEMBERSHIP).map(([verb, templates]) => [`member_${verb}`, templates]),
)

export const toggled = (on: string, off: string, either: string): VerbSentences => ({
  true: on,
  false: off,
  '': either,
})

/** For verbs such as `closed_changed=true`. */
export function statuses(all: Readonly<Record<string, VerbSentences>>): VerbSentences {
  return Object.fromEntries(
    Object.entries(all).flatMap(([verb, values]) =>
      Object.entries(values).map(([value, done]) => [value === '' ? verb : `${verb}=${value}`, done] as const),
    ),
  )
}
