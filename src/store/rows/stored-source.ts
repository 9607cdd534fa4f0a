import { AppError } from '../../model/app-error.js'
import type { SourceDefinition } from '../../model/sources/source-definition.js'
import type { ListedSource, SourceWithSecrets, StoredSource } from '../source-store.js'

/** @param row `body`, `created_at`, `updated_at`, and `secrets` as a JSON array or null */
export function toSourceWithSecrets(row: Record<string, unknown>): SourceWithSecrets {
  return { ...toSource(row), secrets: secretsOf(row) }
}

/** The same without the secrets themselves. */
export function toListedSource(row: Record<string, unknown>): ListedSource {
  return { ...toSource(row), secret_count: secretsOf(row).length }
}

function toSource(row: Record<string, unknown>): StoredSource {
  const definition: SourceDefinition = JSON.parse(String(row.body))
  return { definition, created_at: String(row.created_at), updated_at: String(row.updated_at) }
}

function secretsOf({ secrets }: Record<string, unknown>): string[] {
  return typeof secrets === 'string' ? JSON.parse(secrets) : []
}

export function tooManySources(most: number): AppError {
  const message = `There are ${most} sources, and no more are allowed.`
  return new AppError('conflict', 'too_many_sources', message, { hint: 'Delete one that is no longer needed.' })
}
