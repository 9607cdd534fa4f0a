import { string } from '@oclif/core/args'
import { string as text } from '@oclif/core/flags'
import { BoardCommand } from '../../../cli/base/board-command.js'
import { readSmallText } from '../../../cli/input/read-input.js'
import { CARD_LIMITS } from '../../../model/board/card.js'

export default class BoardCardsAdd extends BoardCommand {
  static override summary = 'Adds a card, at the end of its column.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> "Rotate the keys" --label security --assignee ada',
    'git log -1 --format=%B | <%= config.bin %> <%= command.id %> "Review the last change" --body -',
  ]
  static override args = {
    title: string({ required: true, ignoreStdin: true, description: 'Title, one line.' }),
  }
  static override flags = {
    body: text({ description: 'Body, as Markdown; - for standard input.', helpValue: '<text>' }),
    column: text({ description: 'Column; else the first one.', helpValue: '<column>' }),
    label: text({
      description: 'May be given several times.',
      helpValue: '<label>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    assignee: text({ description: 'Person responsible.', helpValue: '<name>' }),
    link: text({
      description: 'Dedupe key of an event in the ledger. May be given several times.',
      helpValue: '<dedupe_key>',
      multiple: true,
      multipleNonGreedy: true,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardCardsAdd)
    const { column, label: labels, assignee, link: links } = flags
    const client = this.client(flags)
    const body = flags.body === '-' ? await readSmallText('-', CARD_LIMITS.bodyBytes) : flags.body
    // Undefined members are not sent.
    const answer = await client.createCard(JSON.stringify({ title: args.title, body, column, labels, assignee, links }))
    await this.show(answer, flags, async () => (await import('../../../cli/views/cards.js')).boardCard)
  }
}
