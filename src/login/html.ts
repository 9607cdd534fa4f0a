/** Text that is markup already. */
export class Markup {
  constructor(readonly text: string) {}
}

/** A template for HTML: whatever is put into it is escaped for text and for quoted attributes, unless it is markup. */
export function html(pieces: TemplateStringsArray, ...values: readonly (string | Markup)[]): Markup {
  const text = values.map(value => (value instanceof Markup ? value.text : escapeHtml(value)))
  return new Markup(String.raw({ raw: pieces }, ...text))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '')
}
