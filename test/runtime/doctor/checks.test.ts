import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { exitCodeOfFaults } from '../../../src/cli/exit-codes.js'
import type { Subscription } from '../../../src/model/subscriptions/subscription.js'
import { toTimestamp } from '../../../src/model/timestamp.js'
import { checkBackups } from '../../../src/runtime/doctor/backups.js'
import { checkChatAccount } from '../../../src/runtime/doctor/chat-account.js'
import { checkClock } from '../../../src/runtime/doctor/clock.js'
import { judgeSpace } from '../../../src/runtime/doctor/disk-space.js'
import { findingsOf } from '../../../src/runtime/doctor/failed-check.js'
import { checkNode } from '../../../src/runtime/doctor/node-version.js'
import { judgeWatches } from '../../../src/runtime/doctor/watches.js'
import { checkWebhookSecrets } from '../../../src/runtime/doctor/webhook-secrets.js'
import { storedSubscription } from '../../support/subscription.js'
import { testFolder } from '../../support/test-folder.js'

const GIB = 1024 ** 3
const NOW = 1_900_000_000_000

t.test('a disk is reported as low below 1 GiB or a tenth, or without free files, and as full below 64 MiB', async t => {
  const of = (freeBytes: number, totalBytes = 4 * GIB, freeFiles?: number) =>
    judgeSpace('/d', { freeBytes, totalBytes, freeFiles }).state
  t.same([of(2 * GIB), of(GIB - 1), of(GIB / 20)], ['ok', 'warn', 'fail'])
  t.same([of(3 * GIB, 40 * GIB), of(5 * GIB, 40 * GIB)], ['warn', 'ok'])
  t.same([of(2 * GIB, 4 * GIB, 10), of(2 * GIB, 4 * GIB, 10_000), of(0, 0)], ['warn', 'ok', 'fail'])
})

t.test('unsupported versions of Node.js and systems are failures', async t => {
  const of = (version: string, platform: string) => checkNode({ version, platform })[0]?.state
  t.same([of('20.19.0', 'linux'), of('24.1.0', 'darwin'), of('25.0.0', 'linux')], ['ok', 'ok', 'warn'])
  t.same([of('20.18.9', 'linux'), of('18.20.0', 'linux'), of('24.0.0', 'win32')], ['fail', 'fail', 'fail'])
})

t.test('a clock behind the ledger or the program is reported', async t => {
  const folder = testFolder(t, { 'package.json': '' })
  const file = join(folder, 'package.json')
  utimesSync(file, NOW / 1000, NOW / 1000)
  const day = 24 * 3600 * 1000
  const of = async (now: number, head: number | null) =>
    (await checkClock(now * 1000, head === null ? null : toTimestamp(head * 1000), [file]))[0]?.state
  t.same([await of(NOW, null), await of(NOW, NOW + day / 2), await of(NOW - day / 2, null)], ['ok', 'ok', 'ok'])
  t.same([await of(NOW, NOW + 2 * day), await of(NOW - 2 * day, null)], ['warn', 'warn'])
  t.match(await checkClock(NOW * 1000, null, [join(folder, 'missing')]), [{ state: 'ok' }])
})

t.test('a newest backup older than two intervals is reported', async t => {
  const unfinished = { 'ledger-3.db.gz': '', 'ledger-3.db.gz.part.db': 'half', 'ledger-3.db.gz.part': 'half' }
  const folder = testFolder(t, { 'ledger-1.db.gz': 'old', 'ledger-2.db.gz': 'new', 'x.db.gz': 'mine', ...unfinished })
  const at = (name: string, ms: number) => utimesSync(join(folder, name), ms / 1000, ms / 1000)
  const hour = 3_600_000
  at('ledger-1.db.gz', NOW - 9 * hour)
  at('ledger-2.db.gz', NOW - hour)
  for (const name of Object.keys(unfinished)) at(name, NOW)
  const of = (everyMs: number) => checkBackups({ folder, everyMs, keep: 1 }, NOW)
  t.match(await of(hour), [{ state: 'ok', detail: /ledger-2\.db\.gz, 60 minutes old/ }])
  t.match(await of(hour / 3), [{ state: 'warn' }])
  t.match(await checkBackups(undefined, NOW), [{ state: 'warn', detail: 'The server makes no backups.' }])
  t.match(await checkBackups({ folder: join(folder, 'none'), everyMs: 1, keep: 1 }, NOW), [{ state: 'warn' }])
})

t.test('watches whose capture fails, and those that nothing captures, are reported', async t => {
  const minute = 60_000
  const at = (ms: number) => toTimestamp((NOW + ms) * 1000)
  const watch = (id: string, changes: Partial<Subscription> = {}) =>
    storedSubscription({ id, source: 'chat', target: 'stream:eng/topic:deploys', capture_modes: ['poll'], ...changes })
  const captured = (ms: number) => ({ last_attempt_at: at(ms), last_success_at: at(ms), failures: 0 })
  const failed = { last_attempt_at: at(-minute), failures: 3, last_error: 'The key was refused.' }
  const of = (...watches: Subscription[]) =>
    judgeWatches(watches, NOW * 1000).map(({ state, detail }) => [state, detail])

  t.same(of(), [])
  t.same(of(watch('pushed', { capture_modes: ['webhook'], capture: failed })), [], 'it is not polled')
  t.same(of(watch('off', { enabled: false, capture: failed })), [])
  const fine = [watch('fine', { capture: captured(-minute) }), watch('new', { updated_at: at(-14 * minute) })]
  t.match(of(...fine), [['ok', /Watches that are polled: 2\./]])
  t.match(of(...fine, watch('bad', { capture: failed })), [
    ['warn', 'The watch bad could not be captured 3 times in a row. The key was refused.'],
  ])
  t.match(of(watch('forgotten', { updated_at: at(-16 * minute) })), [
    ['warn', `The watch forgotten has been due since ${at(-16 * minute)}, and nothing captures it.`],
  ])
  const day = 24 * 60 * minute
  t.match(of(watch('by-timer', { capture: captured(-day) })), [['ok', /./]], 'a timer may capture once a day')
  t.match(of(watch('stopped', { capture: captured(-day - 2 * minute) })), [
    ['warn', /^The watch stopped has been due since/],
  ])
  const interrupted = (ms: number) => watch('interrupted', { capture: { last_attempt_at: at(ms), failures: 0 } })
  t.match(of(interrupted(-day)), [['ok', /./]])
  t.match(of(interrupted(-day - minute)), [
    ['warn', `The watch interrupted has been due since ${at(-day - minute)}, and nothing captures it.`],
  ])
  const many = Array.from({ length: 8 }, (_, number) => watch(`bad-${number}`, { capture: failed }))
  t.equal(of(...many).length, 6)
  t.match(of(...many).at(-1), ['warn', '3 further watches cannot be captured.'])
})

t.test('webhook secrets are counted, and short and repeated ones are reported', async t => {
  const [long, short] = ['0123456789abcdef', 'fedcba']
  const secrets = { chat: [long], forum: [], code_a: [short, 'x'.repeat(32)], code_b: [long] }
  const findings = checkWebhookSecrets({ secrets, requireVerified: false })
  t.match(findings.map(({ state, detail }) => `${state} ${detail}`).sort(), [
    'ok Secrets of webhooks: chat 1, forum none, code_a 2, code_b 1.',
    'warn /webhooks/chat and /webhooks/code_b have the same secret.',
    'warn A secret of /webhooks/code_a is shorter than 16 characters.',
  ])
  t.notOk(JSON.stringify(findings).includes(short))
  const none = { chat: [], forum: [], code_a: [], code_b: [] }
  t.match(checkWebhookSecrets({ secrets: none, requireVerified: true }), [{ state: 'warn' }, { state: 'ok' }])
  t.match(checkWebhookSecrets({ secrets: none, requireVerified: false }), [{ state: 'ok' }])
})

t.test('a chat server that does not answer is a failure', async t => {
  const account = { site: 'http://127.0.0.1:9', email: 'ada@example.org', api_key: 'the-key' }
  const findings = await findingsOf('', () => checkChatAccount(account))
  t.match(findings, [{ state: 'fail', fault: 'unreachable' }])
  t.notOk(JSON.stringify(findings).includes('the-key'))
  t.match(await checkChatAccount(undefined), [{ state: 'ok' }])
})

t.test('a defect in a check is not a finding', async t => {
  const defect = () => Promise.reject(new TypeError('This is a defect'))
  await t.rejects(findingsOf('/x', defect), TypeError)
})

t.test('the exit code is that of the worst fault', async t => {
  t.equal(exitCodeOfFaults([null, null]), 0)
  t.equal(exitCodeOfFaults(['unreachable', null]), 69)
  t.equal(exitCodeOfFaults(['unreachable', 'temporary']), 75)
  t.equal(exitCodeOfFaults(['temporary', 'refused']), 4)
  t.equal(exitCodeOfFaults(['refused', 'conflict']), 5)
  t.equal(exitCodeOfFaults(['conflict', 'configuration']), 78)
  t.equal(exitCodeOfFaults(['configuration', 'damaged']), 1)
})
