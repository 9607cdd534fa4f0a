/** Runs a command line as if a person were looking at its output. */
import { fileURLToPath } from 'node:url'
import { main } from '../../../src/cli/main.js'

for (const stream of [process.stdout, process.stderr]) {
  Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { value: 100 },
    getWindowSize: { value: () => [100, 40] },
  })
}
await main(fileURLToPath(new URL('../../../../', import.meta.url)), process.argv.slice(2))
