import { string as argument } from '@oclif/core/args'
import { boolean, integer, option, string } from '@oclif/core/flags'
import { LedgerResults } from '../cli/base/api-context.js'
import { DaybookCommand } from '../cli/base/daybook-command.js'
import { LEDGER_FLAGS } from '../cli/base/ledger-command.js'
import { FILTER_FLAGS, filtersOf } from '../cli/filter-flags.js'
import { OUTPUT_FLAGS } from '../cli/formats/output-flags.js'
import { readDuration, readTime } from '../cli/input/time-expression.js'
import { toTerminalJson, toTerminalLine } from '../cli/terminal/text.js'
import { waitForSignal } from '../cli/wait-for-signal.js'
import { type ConsumePlan, consume, type Work } from '../client/consume/consume.js'
import { ORDER_KEYS } from '../client/library/ledger-event.js'
import { WorkEnds } from '../client/library/ordered-work.js'
import { AppError } from '../model/app-error.js'
import { parseUrl } from '../model/parse-url.js'
import { readForwardSecret } from '../settings/forward-secret.js'

const MODES = ['exec', 'forward', 'print'] as const

export default class Consume extends DaybookCommand {
  static override summary = 'Passes each event to a command or a receiver, and never misses one.'
  static override description = [
    'The ledger keeps the checkpoint under the name of the consumer. An event is acknowledged when the command has ended with 0, or the',
    'receiver has answered 2xx; after a crash, only what was not acknowledged is delivered again. One instance reads at a time; others',
    'wait, and take over.\n\n--exec runs a command in a shell: the event is on its standard input, as one line of JSON; of one event,',
    'DAYBOOK_KIND, DAYBOOK_KEY, DAYBOOK_SOURCE, DAYBOOK_SUBJECT_TYPE, DAYBOOK_SUBJECT and DAYBOOK_CAPTURED_AT are set. --forward posts the event,',
    'signed with EVENT_FORWARD_SECRET (Standard Webhooks). --print prints one line of JSON for each event.\n\nA failure is tried again,',
    'with growing waits. After that, the consumer stops, or keeps the event as a dead letter and continues.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> mail --exec ./send-mail.sh --kind "issue.*"',
    '<%= config.bin %> <%= command.id %> deploys --forward https://deploy.example.org/hook --outcome failed --on-failure dead-letter',
    '<%= config.bin %> <%= command.id %> nightly --exec ./report.sh --batch 500 --once --from beginning',
  ]
  static override baseFlags = { ...DaybookCommand.baseFlags, ...LEDGER_FLAGS, local: OUTPUT_FLAGS.local }
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the consumer. Created if it is new.' }),
  }
  static override flags = {
    exec: string({ description: 'Run this command for each event.', helpValue: '<command>' }),
    forward: string({ description: 'Post each event to this address.', helpValue: '<url>' }),
    print: boolean({ description: 'Print each event.' }),
    ...FILTER_FLAGS,
    'ignore-actor': string({
      description: 'Not by this actor, such as your own bot.',
      helpValue: '<actor>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    from: string({
      description: 'Where a new consumer begins: beginning, now, or a time such as 1h, yesterday, 2026-11-20.',
      helpValue: '<time>',
      default: 'now',
    }),
    batch: integer({
      description: 'Number of events to pass together; posted as a list.',
      helpValue: '<n>',
      min: 1,
      max: 500,
    }),
    concurrency: integer({
      description: 'How many run at the same time.',
      helpValue: '<n>',
      min: 1,
      max: 64,
      default: 1,
    }),
    key: option({
      options: ORDER_KEYS,
      description:
        'Events with the same key are passed in order, one after the other. all: every event; none: no order.',
      default: 'subject' as const,
    })(),
    'max-age': string({ description: 'Skip older events: 90s, 15m, 6h, 7d, 2w.', helpValue: '<age>' }),
    'max-backlog': integer({
      description: 'Skip all but the newest N events, if more wait.',
      helpValue: '<n>',
      min: 1,
      max: 1_000_000,
    }),
    timeout: integer({
      description: 'Seconds for one event, or one batch.',
      helpValue: '<seconds>',
      min: 1,
      max: 86_400,
      default: 60,
    }),
    retries: integer({
      description: 'How often a failed event is tried again.',
      helpValue: '<n>',
      min: 0,
      max: 100,
      default: 5,
    }),
    'on-failure': option({
      options: ['stop', 'dead-letter'] as const,
      description: 'After the last failure: end with an error, or keep the event as a dead letter.',
      default: 'stop' as const,
    })(),
    'on-restore': option({
      options: ['continue', 'stop'] as const,
      description: 'After the ledger was restored: continue at the checkpoint that it has, or end with an error.',
      default: 'continue' as const,
    })(),
    once: boolean({ description: 'End when there are no more events, for cron.' }),
  }

  /** Why an event could not be printed. */
  private unprinted: unknown

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Consume)
    const stopping = new AbortController()
    this.output.closed.addEventListener('abort', () => stopping.abort())
    void waitForSignal(process).then(() => stopping.abort())
    const { 'ignore-actor': ignored = [], 'exclude-actor': excluded = [] } = flags
    const actors = [...excluded, ...ignored]
    const filters = Object.entries({ ...filtersOf(flags), exclude_actor: actors.length > 0 ? actors : undefined })
    const given = filters.filter(([, value]) => value !== undefined)
    const plan: ConsumePlan = {
      name: args.name,
      once: flags.once,
      from: readBounds(flags),
      unit: flags.batch ?? 1,
      ...(given.length > 0 ? { filters: Object.fromEntries(given) } : {}),
      concurrency: flags.concurrency,
      key: flags.key,
      retries: flags.retries,
      onFailure: flags['on-failure'],
      onRestore: flags['on-restore'],
      ...(flags['max-age'] === undefined ? {} : { maxAgeSeconds: readDuration('--max-age', flags['max-age']) }),
      ...(flags['max-backlog'] === undefined ? {} : { maxBacklog: flags['max-backlog'] }),
    }
    await consume(new LedgerResults(this.output, this.sources).client(flags), plan, {
      work: this.work(flags),
      signal: stopping.signal,
      report: sentence => process.stderr.write(`${toTerminalLine(sentence)}\n`),
    }).catch(error => {
      throw this.unprinted ?? error
    })
  }

  private work(
    flags: { exec?: string | undefined; forward?: string | undefined; print: boolean } & {
      timeout: number
      batch?: number | undefined
    },
  ): Work {
    const given = MODES.filter(mode => flags[mode])
    if (given.length !== 1) {
      const hint = 'Give exactly one of --exec, --forward and --print.'
      throw new AppError('invalid', 'wrong_usage', 'It is not clear what to do with each event.', { hint })
    }
    const timeoutSeconds = flags.timeout
    if (flags.exec) {
      return {
        kind: 'exec',
        command: flags.exec,
        timeoutSeconds,
        environment: this.sources.env,
        stderr: process.stderr,
      }
    }
    if (flags.forward) {
      const url = readReceiver(flags.forward)
      const secret = readForwardSecret(this.sources)
      return { kind: 'forward', url, secret, timeoutSeconds, asList: flags.batch !== undefined }
    }
    const toLine = this.output.isTerminal ? (text: string) => toTerminalJson(text) : (text: string) => text
    const print = (event: unknown) =>
      this.output.print(toLine(JSON.stringify(event))).catch(cause => {
        this.unprinted = cause
        throw new WorkEnds('The output takes no more events.') // another attempt would fail in the same way
      })
    return { kind: 'print', print }
  }
}

/** `beginning` and `now` are passed on, because the ledger's clock counts. @throws AppError `invalid/wrong_usage` */
function readBounds({ from, local }: { from: string; local: boolean }): string {
  return ['beginning', 'now'].includes(from) ? from : readTime('--from', from, { isLocal: local })
}

function readReceiver(text: string): URL {
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new AppError(
      'invalid',
      'wrong_usage',
      '--forward needs an http or https address, without user name and password.',
    )
  }
  return url
}
