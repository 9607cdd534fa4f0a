import { appendFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { Daybook } from '../../../src/client/library/index.js'

const [url = '', out = ''] = process.argv.slice(2)
await new Daybook({ url }).consume('typescript', {
  from: 'beginning',
  concurrency: 3,
  handle: async event => {
    await setTimeout(Math.random() * 3)
    appendFileSync(out, `${JSON.stringify(event)}\n`)
  },
})
