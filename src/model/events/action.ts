/**
 * Splits a kind into the action: `message.created` is a message that was created. A kind without a dot is a verb with
 * no object.
 */
export function actionOfKind(kind: string): { kind: string; object_type: string; verb: string } {
  const dot = kind.lastIndexOf('.')
  return { kind, object_type: dot > 0 ? kind.slice(0, dot) : '', verb: kind.slice(dot + 1) }
}
