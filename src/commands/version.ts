import { ResultCommand } from '../cli/base/daybook-command.js'

export default class Version extends ResultCommand {
  static override summary = 'Shows the release of Daybook, and what it runs on.'

  async run(): Promise<void> {
    const { flags } = await this.parse(Version)
    const { version } = this.config
    const value = { version, node: process.versions.node, system: `${process.platform}-${process.arch}` }
    const load = async () => (shown: typeof value) =>
      `daybook ${shown.version} (Node.js ${shown.node}, ${shown.system})`
    await this.showValue(value, flags, load, { name: 'version' })
  }
}
