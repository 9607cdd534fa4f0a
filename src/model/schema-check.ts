import type { StaticEncode, TSchema } from '#typebox'
import { Compile, type Validator } from '#typebox/compile'

export interface SchemaCheck<Value> {
  Check(value: unknown): value is Value
  Errors(value: unknown): ReturnType<Validator['Errors']>
}

/** A schema that is compiled at its first use: each takes milliseconds, and most processes use few of them. */
export function schemaCheck<const Schema extends TSchema>(schema: Schema): SchemaCheck<StaticEncode<Schema>> {
  let compiled: Validator | undefined
  const check = (): Validator => {
    compiled ??= Compile<Schema, Validator>(schema)
    return compiled
  }
  return {
    Check: (value): value is StaticEncode<Schema> => check().Check(value),
    Errors: value => check().Errors(value),
  }
}
