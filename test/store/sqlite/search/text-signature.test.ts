import t from 'tap'
import { Random } from '../../../../bench/random.js'
import { columnsOfTerms, signatureOf } from '../../../../src/store/sqlite/search/text-signature.js'

const TEXTS = 200
const LETTERS: Record<string, [consonants: string, vowels: string]> = {
  Latin: ['bdklmnrst', 'aeiou'],
  Cyrillic: ['бдклмнрст', 'аеиоу'],
  Greek: ['βδκλμνρστ', 'αεηιο'],
  Hangul: ['가나다라마바사', '고노도로모'],
}

for (const [script, [consonants, vowels]] of Object.entries(LETTERS)) {
  t.test(
    `a ${script} word that does not occur selects few texts, although each of its pairs of letters occurs`,
    async t => {
      const random = new Random(1)
      const word = (letters: number) =>
        Array.from({ length: letters }, (_, at) => {
          return random.pick([...(at % 2 === 0 ? consonants : vowels)])
        }).join('')
      const texts = Array.from({ length: TEXTS }, () => Array.from({ length: 60 }, () => word(6)).join(' '))
      const signatures = texts.map(text => {
        const { length, columns } = signatureOf(text, 1_000 + Buffer.byteLength(text))
        return { length, columns: new Set([...columns].map(column => column % length)) }
      })
      const words = Array.from({ length: 50 }, () => word(8))
      const candidates = words.map(each => {
        const columns = columnsOfTerms([each])
        return signatures.filter(({ length, columns: set }) => columns.every(column => set.has(column % length))).length
      })
      const found = candidates.reduce((sum, count) => sum + count, 0)
      t.ok(found < (TEXTS * words.length) / 20, `${found} of ${TEXTS * words.length}`)
    },
  )
}
