import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import type { HttpRequest } from '../../../src/server/http/route.js'
import { createBodyReader } from '../../../src/server/request/body.js'
import { until } from '../../support/until.js'

const MIB = 1024 * 1024
/** Of each body. */
const UNCOUNTED = 32 * 1024

t.test('anonymous senders have their own budget, in which a small body displaces a large one', async t => {
  const readBody = createBodyReader(8 * MIB, 2 * MIB)
  const outcomes: string[] = []
  const server = createServer(async (req, res) => {
    const request = Object.assign(req as HttpRequest, { isAnonymous: req.url !== '/known' })
    const outcome = await readBody(request, res, 10 * MIB).then(
      bytes => `${bytes.length}`,
      error => (error instanceof AppError ? error.code : String(error)),
    )
    outcomes.push(`${req.url} ${outcome}`)
    res.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const start = (path: string) => {
    const request = httpRequest({ port, path, method: 'POST', agent: false })
    const answered = once(request, 'response').then(([response]: IncomingMessage[]) => response?.resume())
    return { request, answered }
  }
  const greedy = start('/greedy')
  greedy.request.write(Buffer.alloc(2 * MIB))
  const small = start('/small')
  small.request.end(Buffer.alloc(MIB))
  await small.answered
  await start('/known').request.end(Buffer.alloc(4 * MIB))
  greedy.request.end(Buffer.alloc(MIB))
  await greedy.answered
  await until(() => outcomes.length === 3)
  t.same(outcomes.sort(), ['/greedy busy', `/known ${4 * MIB}`, `/small ${MIB}`])
})

t.test('large bodies that arrive together share one budget, and return it', async t => {
  const readBody = createBodyReader(4 * MIB - UNCOUNTED)
  const answers: string[] = []
  let finish = () => {}
  const held = new Promise<void>(resolve => {
    finish = resolve
  })
  const server = createServer(async (req, res) => {
    try {
      const bytes = await readBody(req as HttpRequest, res, 10 * MIB)
      answers.push(`${bytes.length}`)
      if (req.url === '/held') await held
    } catch (error) {
      answers.push(error instanceof AppError ? error.code : String(error))
    }
    res.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const send = (path: string, bytes: number) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest({ port, path, method: 'POST', agent: false }, res => resolve(res.resume()))
        .on('error', reject)
        .end(Buffer.alloc(bytes))
    })

  const first = send('/held', 3 * MIB)
  await until(() => answers.length === 1)
  await send('/', 3 * MIB)
  await send('/', MIB)
  finish()
  await first
  await send('/', 4 * MIB)
  await send('/', 4 * MIB + 1)
  t.same(answers, [`${3 * MIB}`, 'busy', `${MIB}`, `${4 * MIB}`, 'busy'])
})
