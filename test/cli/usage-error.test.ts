import { string as argument, option } from '@oclif/core/args'
import { exit } from '@oclif/core/errors'
import { boolean, integer, option as oneOf, string } from '@oclif/core/flags'
import { parse } from '@oclif/core/parser'
import t from 'tap'
import { OUTPUT_FLAGS } from '../../src/cli/formats/output-flags.js'
import { toReport } from '../../src/cli/report.js'

const OPTIONS = {
  args: { id: argument({ required: true, ignoreStdin: true }) },
  flags: {
    since: string(),
    order: string({ options: ['asc', 'desc'] }),
    follow: boolean({ exclusive: ['order'] }),
  },
}

const lines = [
  { argv: [], expected: 'Missing argument: <id>. Add --help for the usage.' },
  { argv: ['a', 'b'], expected: 'Unexpected argument: b. Add --help for the usage.' },
  { argv: ['a', '--sinc', 'x'], expected: 'Unknown flag: --sinc. Did you mean --since?' },
  { argv: ['a', '--sinse=x'], expected: 'Unknown flag: --sinse=x. Did you mean --since?' },
  { argv: ['a', '--teapot'], expected: 'Unknown flag: --teapot. Add --help for the usage.' },
  { argv: ['a', '--since'], expected: 'Flag --since expects a value. Add --help for the usage.' },
  {
    argv: ['a', '--order', 'up'],
    expected: 'Expected --order=up to be one of: asc, desc. Add --help for the usage.',
  },
  {
    argv: ['a', '--follow', '--order', 'asc'],
    expected: '--order=asc cannot also be provided when using --follow. Add --help for the usage.',
  },
]
for (const { argv, expected } of lines) {
  t.test(`"${argv.join(' ')}" is refused in one line`, async t => {
    const error = await parse(argv, { ...OPTIONS, strict: true }).catch((error: unknown) => error)
    t.same(toReport(error, { json: false, stacks: false }), { exitCode: 2, err: expected })
  })
}

t.test('an invalid or missing value of a flag is reported in one plain sentence', async t => {
  const flags = {
    from: string({ required: true }),
    to: string({ required: true }),
    every: integer(),
    json: boolean(),
    output: oneOf({ options: ['json'], relationships: [{ type: 'none', flags: ['json'] }] })(),
    fields: OUTPUT_FLAGS.fields,
  }
  const both = ['--from', 'a', '--to', 'b']
  const refused = [
    { argv: [], expected: 'Missing flags: --from --to. Add --help for the usage.' },
    { argv: ['--from', 'a'], expected: 'Missing flag: --to. Add --help for the usage.' },
    {
      argv: [...both, '--json', '--output', 'json'],
      expected: '--json cannot also be provided when using --output. Add --help for the usage.',
    },
    {
      argv: [...both, '--fields', ','],
      expected: '--fields is not a comma list of names. Write it like --fields kind,actor.display.',
    },
    { argv: [...both, '--every', 'x'], expected: /^--every: Expected an integer but received: x\. Add --help/ },
  ]
  for (const { argv, expected } of refused) {
    const error = await parse(argv, { flags, strict: true }).catch((error: unknown) => error)
    t.match(toReport(error, { json: false, stacks: false }), { exitCode: 2, err: expected })
  }
})

t.test('an error about an argument with few values lists them', async t => {
  const args = { name: option({ options: ['event', 'subscription'] as const })({ required: true, ignoreStdin: true }) }
  const error = await parse([], { args, strict: true }).catch((error: unknown) => error)
  t.match(toReport(error, { json: false, stacks: false }).err, /^Missing argument: <event\|subscription>\./)
})

t.test('a requested exit code is not reported as a failure', async t => {
  for (const code of [0, 3]) {
    try {
      exit(code)
    } catch (error) {
      t.same(toReport(error, { json: false, stacks: false }), { exitCode: code })
    }
  }
})
