import type { Interfaces } from '@oclif/core'
import { Command } from '@oclif/core/command'
import { Config } from '@oclif/core/config'
import { boolean } from '@oclif/core/flags'
import { processSources, type SettingSources } from '../../settings/reading/setting-sources.js'
import { OUTPUT_FLAGS } from '../formats/output-flags.js'
import type { ItemShape, OutputFlags } from '../formats/output-options.js'
import { loadTerminalStyle, Output } from '../terminal/output.js'
import type { TerminalStyle } from '../terminal/style.js'
import { type Rendering, Results } from './api-context.js'

/** Base of all commands: `--json`, an output, and errors that propagate to `main`. */
export abstract class DaybookCommand extends Command {
  static override baseFlags = {
    json: boolean({ description: 'Print JSON, also at a terminal.', helpGroup: 'GLOBAL' }),
    'no-color': boolean({ description: 'No colours, also at a terminal.', helpGroup: 'GLOBAL' }),
  }

  protected readonly output = new Output(process.stdout)
  protected readonly sources: SettingSources = processSources()

  /** Uses the given configuration. oclif's own `run` would load it again, with every plugin. */
  static override async run<Self extends Command>(
    this: new (
      argv: string[],
      config: Config,
    ) => Self & DaybookCommand,
    argv: string[] = [],
    options?: Interfaces.LoadOptions,
  ): Promise<ReturnType<Self['run']>> {
    const config = options instanceof Config ? options : await Config.load(options)
    return new this(argv, config)._run()
  }

  protected style(flags: Pick<OutputFlags, 'no-color' | 'local'>): Promise<TerminalStyle> {
    return loadTerminalStyle(this.output, this.sources, flags)
  }

  protected async printJson(value: unknown): Promise<void> {
    const json = JSON.stringify(value)
    if (!this.output.isTerminal) return this.output.print(json)
    const { toTerminalJson } = await import('../terminal/text.js')
    await this.output.print(toTerminalJson(json))
  }

  /** Skips oclif's check for deprecations: we have none. */
  protected override async init(): Promise<void> {}

  protected override async catch(error: Error): Promise<never> {
    throw error
  }
}

/** A command whose result is for people and programs, in the format that `--output` names. */
export abstract class ResultCommand extends DaybookCommand {
  static override baseFlags = { ...DaybookCommand.baseFlags, ...OUTPUT_FLAGS }

  protected readonly results: Results = new Results(this.output, this.sources)

  /** Whether the output is for a person. */
  protected isForPeople(flags: OutputFlags): boolean {
    return this.results.isForPeople(flags)
  }

  /** @param load imports the rendering, which a pipe does not need */
  protected showValue<Value>(
    value: Value,
    flags: OutputFlags,
    load: () => Promise<Rendering<Value>>,
    shape?: ItemShape,
  ): Promise<void> {
    return this.results.showValue(value, flags, load, shape)
  }
}
