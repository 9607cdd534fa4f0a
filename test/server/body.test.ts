import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { AppError } from '../../src/model/app-error.js'
import { createBodyReader } from '../../src/server/body.js'
import type { HttpRequest } from '../../src/server/route.js'
import { until } from './serve.js'

const MIB = 1024 * 1024

t.test('large bodies that arrive together share one budget, and give it back', async t => {
  const readBody = createBodyReader(3 * MIB)
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
