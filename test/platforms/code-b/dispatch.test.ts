import t from 'tap'
import { eventOf, INSTANCE, normalise, readFixture } from './support.js'

t.test('the body takes precedence over the header for the name of the event', async t => {
  const body = { object_kind: 'issue', event_name: 'push', object_attributes: { id: 5, action: 'open' } }
  t.equal(eventOf({ headers: { 'x-gitlab-event': 'Note Hook' }, body }).kind, 'issue.created')
  const { object_kind: _, ...named } = body
  t.equal(eventOf({ headers: { 'x-gitlab-event': 'Note Hook' }, body: named }).action.metadata.native_event, 'push')
  t.equal(
    eventOf({ headers: {}, body: {} }).kind,
    'event.received',
    'and the event is stored where the delivery has no kind',
  )
})

t.test('an event of a system hook equals the event of a project hook', async t => {
  for (const name of ['issue-closed', 'merge-request-merged', 'push-of-two-commits', 'comment-on-an-issue']) {
    const { headers, body } = readFixture(name)
    const system = eventOf({ headers: { ...headers, 'x-gitlab-event': 'System Hook' }, body })
    t.strictSame(system, eventOf({ headers, body }), name)
  }
})

t.test('the id that a redelivery repeats identifies the delivery', async t => {
  const uuids = { 'x-gitlab-event-uuid': 'e', 'x-gitlab-webhook-uuid': 'w' }
  const idOf = (headers: Record<string, string>) => normalise({ headers, body: {} }).deliveryId
  t.equal(idOf({ ...uuids, 'idempotency-key': 'i', 'webhook-id': 's' }), 'i')
  t.equal(idOf({ ...uuids, 'webhook-id': 's' }), 's')
  t.equal(idOf(uuids), undefined)
})

t.test('the header names the instance, otherwise the addresses in the body', async t => {
  const body = {
    object_kind: 'issue',
    project: { web_url: 'https://Git.example.org:8443/a/b' },
    object_attributes: { id: 5, action: 'open', url: 'https://other.example.org/a/b/-/issues/1' },
  }
  const hostOf = (headers: Record<string, string>, sent: Record<string, unknown>) =>
    eventOf({ headers, body: sent })
      .dedupe_key.replace('code_b:', '')
      .replace(/:issue:.*$/u, '')
  t.equal(hostOf({ 'x-gitlab-instance': 'https://GitLab.example.org' }, body), 'gitlab.example.org')
  t.equal(hostOf({ 'x-gitlab-instance': 'https://example.org/gitlab/' }, body), 'example.org/gitlab')
  t.equal(hostOf({ 'x-gitlab-instance': 'http://10.0.0.2:3000' }, body), '10.0.0.2:3000')
  for (const instance of ['', 'gitlab', 'javascript:alert(1)', 'https://a.example, https://b.example']) {
    t.equal(hostOf({ 'x-gitlab-instance': instance }, body), 'git.example.org:8443', JSON.stringify(instance))
  }
  t.equal(hostOf({}, { ...body, project: null }), 'other.example.org')
  const redacted = { ...body, project: null, object_attributes: { url: 'https://[REDACTED]/a/b/-/issues/1' } }
  t.equal(hostOf({}, redacted), 'unknown')
})

t.test('the project is found in every form of the payload', async t => {
  const project = { id: 7010, path_with_namespace: 'a/b/engine', web_url: 'https://gitlab.example.org/a/b/engine' }
  const { path_with_namespace: _, ...withoutPath } = project
  const forms: Record<string, Record<string, unknown>> = {
    whole: { project },
    'without an id': { project: { ...project, id: undefined }, project_id: 7010 },
    'without a path': { project: withoutPath },
    'flat, in a member event': { project_id: 7010, project_path_with_namespace: 'a/b/engine' },
    'flat, in a project event': { project_id: 7010, path_with_namespace: 'a/b/engine' },
    'by the repository alone': { project_id: 7010, repository: { homepage: project.web_url } },
    'by an address in it': { object_attributes: { project_id: 7010, url: `${project.web_url}/-/alerts/1` } },
  }
  for (const [form, body] of Object.entries(forms)) {
    const { target } = eventOf({ headers: INSTANCE, body: { object_kind: 'thing', thing: { id: 1 }, ...body } })
    const repository = target.type === 'repository' ? target : target.parent
    t.match(repository, { type: 'repository', key: 'repository:7010', display: 'a/b/engine' }, form)
    t.match(repository?.parent, { type: 'owner', key: 'owner:a/b', parent: { key: 'owner:a' } }, form)
  }
})

t.test('the path of an instance is not part of a namespace', async t => {
  const site = 'https://example.org/gitlab'
  const bodyOf = (url: string) => ({ object_kind: 'work_item', project: null, object_attributes: { id: 1, url } })
  const headers = { 'x-gitlab-instance': site }
  const parentOf = (url: string) => eventOf({ headers, body: bodyOf(url) }).target.parent
  t.match(parentOf(`${site}/groups/a/b/-/work_items/1`), { type: 'owner', key: 'owner:a/b' })
  t.match(parentOf(`${site}/a/b/engine/-/work_items/1`), { type: 'repository', display: 'a/b/engine' })
})
