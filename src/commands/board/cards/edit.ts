import { string } from '@oclif/core/args'
import { integer, string as text } from '@oclif/core/flags'
import { BoardCommand } from '../../../cli/base/board-command.js'
import { readSmallText } from '../../../cli/input/read-input.js'
import { AppError } from '../../../model/app-error.js'
import { CARD_LIMITS } from '../../../model/board/card.js'

const SEVERAL = { multiple: true, multipleNonGreedy: true } as const

export default class BoardCardsEdit extends BoardCommand {
  static override summary = 'Changes the title, body, labels, assignee or links of a card.'
  static override description =
    'Fields without a flag stay. --label and --link replace all existing ones; an empty value removes them, or the assignee.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> card_1f2e3d4c5b6a7988 --assignee ada --label security',
    '<%= config.bin %> <%= command.id %> card_1f2e3d4c5b6a7988 --assignee ""',
  ]
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `board cards list`.' }),
  }
  static override flags = {
    title: text({ description: 'Title, one line.', helpValue: '<text>' }),
    body: text({ description: 'Body, as Markdown; - for standard input.', helpValue: '<text>' }),
    label: text({ description: 'May be given several times.', helpValue: '<label>', ...SEVERAL }),
    assignee: text({ description: 'Person responsible.', helpValue: '<name>' }),
    link: text({
      description: 'Dedupe key of an event. May be given several times.',
      helpValue: '<dedupe_key>',
      ...SEVERAL,
    }),
    'if-version': integer({
      description: 'Change only if the card still has this version.',
      helpValue: '<n>',
      min: 1,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BoardCardsEdit)
    const { title, label, link, assignee, 'if-version': version } = flags
    const body = flags.body === '-' ? await readSmallText('-', CARD_LIMITS.bodyBytes) : flags.body
    const changes = {
      title,
      body,
      labels: label?.filter(isText),
      links: link?.filter(isText),
      assignee: assignee === '' ? null : assignee,
    }
    if (Object.values(changes).every(value => value === undefined)) {
      const hint = 'Give --title, --body, --label, --assignee or --link.'
      throw new AppError('invalid', 'wrong_usage', 'There is nothing to change.', { hint })
    }
    // Undefined members are not sent.
    const json = JSON.stringify(changes)
    const answer = await this.client(flags).updateCard(args.id, json, version === undefined ? {} : { version })
    await this.show(answer, flags, async () => (await import('../../../cli/views/cards.js')).boardCard)
  }
}

function isText(text: string): boolean {
  return text !== ''
}
