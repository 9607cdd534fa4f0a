/** Text that is already markup. */
export class Markup {
  constructor(readonly text: string) {}
}

/** HTML template: escapes each value for text and quoted attributes, unless the value is markup. */
export function html(pieces: TemplateStringsArray, ...values: readonly (string | Markup)[]): Markup {
  const text = values.map(value => (value instanceof Markup ? value.text : escapeHtml(value)))
  return new Markup(String.raw({ raw: pieces }, ...text))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '')
}
