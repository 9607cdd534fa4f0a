/**
 * The sentence of each event of the fixtures, one per line, in `sentences/`, to be reviewed by people. Write them again
 * with
 *
 *     npm run build && node dist/test/platforms/event-sentences.test.js --write
 *
 * and review the changes.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { sentenceText } from '../../src/model/sentences/event-sentence.js'

const FIXTURES = new URL('./fixtures/', import.meta.url)
const SENTENCES = new URL('./sentences/', import.meta.url)
/** Folder of the files in the source; the compiled tests have only a copy. */
const KEPT = new URL('../../../test/platforms/sentences/', import.meta.url)

const read = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'))

/** `chat/reaction-added: Grace Hopper reacted with :bell: to message 8850` */
function sentencesOf(platform: string): string {
  const folder = new URL(`${platform}/`, FIXTURES)
  const lines = readdirSync(folder)
    .filter(file => /\.events?\.json$/.test(file))
    .sort()
    .flatMap(file => {
      const name = file.replace(/\.events?\.json$/, '')
      const { body: payload } = read(new URL(`${name}.json`, folder)) as { body: unknown }
      const events = [read(new URL(file, folder))].flat() as { kind: string }[]
      return events.map(event => `${name}, ${event.kind}: ${sentenceText({ payload, ...event })}`)
    })
  return `${lines.join('\n')}\n`
}

const platforms = readdirSync(FIXTURES, { withFileTypes: true })
  .filter(each => each.isDirectory())
  .map(({ name }) => name)
  .sort()

if (process.argv.includes('--write')) {
  for (const place of [KEPT, SENTENCES]) {
    mkdirSync(place, { recursive: true })
    for (const platform of platforms) writeFileSync(new URL(`${platform}.txt`, place), sentencesOf(platform))
  }
  console.error(`Written to ${fileURLToPath(KEPT)}`)
}

for (const platform of platforms) {
  t.test(`the events of ${platform} have the expected sentences`, async t => {
    t.equal(sentencesOf(platform), readFileSync(new URL(`${platform}.txt`, SENTENCES), 'utf8'))
  })
}
