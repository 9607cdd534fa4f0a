import t from 'tap'
import { type RemoteExecution, startsNothing, toRemoteExecution } from '../../src/proxy/remote-execution.js'

const PATHS: Record<RemoteExecution, readonly string[]> = {
  certain: [
    '/api/executor/pause',
    '/api/executor/resume',
    '/api/executor/whatever/comes/next',
    '/api/EXECUTOR/Pause',
    '/api/executor/pause/',
    '/api/executor/pause?x=1',
    '/api/%65xecutor/p%61use',
    '/api/executor/pause;v=1',
    '/api/executor/%F0%9F%98%80',
    '/api/executor/%ff',
    '/api/runs/run_1/cancel',
    '/api/Runs/run_1/CANCEL/',
    '/api/runs/%72un%201/canc%65l',
    '/api/runs/run_1;v=1/cancel%20',
    '/api/runs/run_1/cancel%3Fx',
    '/api/backends/next/api/executor/pause',
    '/api/backends/next/api/Backends/%61nother/api/runs/run_1/cancel',
  ],
  'by body': [
    '/api/cards/card_1/runs',
    '/api/cards/card_1/runs/',
    '/api/cards/card_1/runs///',
    '/api/cards/card_1/runs?mode=mock',
    '/api/Cards/card_1/RUNS',
    '/api/cards/card_1/%72uns',
    '/api/cards/card_1/%52UNS',
    '/api/%63ards/%ff/runs',
    '/api/cards/%C3%A9/runs',
    '/api/cards/card_1/runs;mode=mock',
    '/api/cards/card_1/runs%23',
    '/api/cards/;/runs',
    '/api/backends/next/api/cards/card_1/runs',
  ],
  none: [
    '/api/',
    '/api/cards',
    '/api/cards/card_1',
    '/api/cards/runs',
    '/api/cards/card_1/runs/run_1',
    '/api/cards/card_1/runsx',
    '/api/cards?x=/api/cards/card_1/runs',
    '/api/runs',
    '/api/runs/run_1',
    '/api/runs/cancel',
    '/api/runs/run_1/cancelled',
    '/api/executor',
    '/api/executor/',
    '/api/backends',
    '/api/backends/next',
    '/api/backends/next/api/cards',
    '/api/x/executor/pause',
    '/api/%',
  ],
}

t.test('a POST to the executor or to a run is recognised in every spelling of its path', async t => {
  for (const [expected, paths] of Object.entries(PATHS)) {
    for (const path of paths) {
      t.equal(toRemoteExecution({ method: 'POST', path, showsToken: false }), expected, path)
      for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
        t.equal(toRemoteExecution({ method, path, showsToken: false }), 'none', `${method} ${path}`)
      }
    }
  }
})

t.test('a request with the executor token of the backend counts as execution', async t => {
  for (const path of Object.values(PATHS).flat()) {
    for (const method of ['GET', 'POST', 'PATCH']) {
      t.equal(toRemoteExecution({ method, path, showsToken: true }), 'certain', `${method} ${path}`)
    }
  }
})

t.test('only a run in a mode without execution, in its plain form, does not count as execution', async t => {
  for (const text of ['{"mode":"dry_run"}', '{"mode":"mock"}', ' {\t"mode" :\r\n"mock" }\n']) {
    t.ok(startsNothing(Buffer.from(text)), text)
  }
  const others = [
    '{"mode":"real"}',
    '{"mode":"fake"}',
    '{"mode":"Mock"}',
    '{"mode":["mock"]}',
    '{"Mode":"mock"}',
    '{"mode":"mock","mode":"real"}',
    '{"mode":"real","mode":"mock"}',
    '{"mode":"mock","Mode":"real"}',
    '{"mode":"mock","\\u006dode":"real"}',
    '{"\\u006dode":"mock"}',
    '{"mode":"moc\\u006b"}',
    '{"mode":"mock","x":"&mode=real&"}',
    '[{"mode":"mock"}]',
    '{"mode":"mock"}{"mode":"real"}',
    '{"mode":"mock"}\0',
    '{"mode":"mock"',
    '\ufeff{"mode":"mock"}',
    '{\xa0"mode":"mock"}',
    "{'mode':'mock'}",
    '{}',
    'null',
    '',
  ]
  for (const text of others) t.notOk(startsNothing(Buffer.from(text)), text)
  t.notOk(startsNothing(Buffer.from('{"mode":"mock"}', 'utf16le')))
})
