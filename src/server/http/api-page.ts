import { html, Markup } from '../../login/html.js'
import type { OpenApiDocument, Operation } from './openapi.js'

type Content = Readonly<Record<string, { schema: unknown }>> | undefined

/** The routes of an API by their groups, then its schemas. Nothing is inline or runs, so the page policy applies. */
export function renderApi({ tags, paths, components, servers }: OpenApiDocument): Markup {
  const json = `${servers[0]?.url.replace(/\/$/, '') ?? ''}/api/openapi.json?as=json`
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  )
  const groups = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    return html`<h2>${name}</h2><p>${description}</p>${joined(own.map(({ name, operation }) => toRoute(name, operation)))}`
  })
  const schemas = Object.entries(components.schemas).map(([name, schema]) => toSchema(name, schema))
  return html`<p><a href="${json}">OpenAPI 3.1, as JSON</a></p>${joined(groups)}<h2>Schemas</h2>${joined(schemas)}`
}

function toRoute(
  name: string,
  { summary, description, parameters = [], requestBody, responses, ...others }: Operation,
): Markup {
  const inputs = parameters.map(({ name, in: place, description, schema }) => [
    ...[html`<code>${name ?? ''}</code>`, place, typeOf(schema), description],
  ])
  const answers = Object.entries(responses).map(([status, { description: meaning, $ref, content }]) => [
    ...[status, meaning ?? toLink($ref ?? ''), typesOf(content)],
  ])
  return html`<details><summary><code>${name}</code> ${summary}</summary>
<p>${description}</p>
<p>Access: <code>${others['x-access']}</code></p>
${inputs.length > 0 ? toTable(['Parameter', 'In', 'Type', 'Meaning'], inputs) : ''}
${requestBody ? html`<p>Body: ${typesOf(requestBody.content)}</p>` : ''}
${toTable(['Status', 'Meaning', 'Body'], answers)}</details>`
}

function toSchema(name: string, schema: unknown): Markup {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, object>; required?: string[] }
  const rows = Object.entries(properties).map(([member, value]) => [
    html`<code>${member}</code>`,
    typeOf(value),
    required.includes(member) ? 'always' : 'optional',
    textOf(value, 'description'),
  ])
  return html`<details id="${name}"><summary><code>${name}</code></summary>
${toTable(['Member', 'Type', 'Presence', 'Meaning'], rows)}</details>`
}

function toTable(titles: readonly string[], rows: readonly (readonly (string | Markup)[])[]): Markup {
  const cells = (row: readonly (string | Markup)[], tag: 'th' | 'td') =>
    joined(row.map(cell => (tag === 'th' ? html`<th>${cell}</th>` : html`<td>${cell}</td>`)))
  const body = joined(rows.map(row => html`<tr>${cells(row, 'td')}</tr>`))
  return html`<table><thead><tr>${cells(titles, 'th')}</tr></thead><tbody>${body}</tbody></table>`
}

function typesOf(content: Content): Markup {
  const types = Object.entries(content ?? {}).map(([type, { schema }]) => html`<code>${type}</code> ${typeOf(schema)}`)
  return joined(types, ', ')
}

/** A schema in a few words. Schemas of the document are links. */
function typeOf(schema: unknown): Markup {
  const reference = textOf(schema, '$ref')
  if (reference) return toLink(reference)
  const choices = memberOf(schema, 'anyOf')
  if (Array.isArray(choices)) return joined(choices.map(typeOf), ' or ')
  const values = memberOf(schema, 'enum')
  if (Array.isArray(values)) return html`${values.join(', ')}`
  if (textOf(schema, 'type') === 'array') return html`list of ${typeOf(memberOf(schema, 'items'))}`
  return html`${textOf(schema, 'format') || textOf(schema, 'type') || textOf(schema, 'const') || ''}`
}

function toLink(reference: string): Markup {
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  return reference.includes('/schemas/') ? html`<a href="#${name}">${name}</a>` : html`a refusal`
}

function memberOf(schema: unknown, name: string): unknown {
  return typeof schema === 'object' && schema !== null ? Reflect.get(schema, name) : undefined
}

function textOf(schema: unknown, name: string): string {
  const value = memberOf(schema, name)
  return value === undefined ? '' : String(value)
}

function joined(parts: readonly Markup[], between = '\n'): Markup {
  return new Markup(parts.map(({ text }) => text).join(between))
}
