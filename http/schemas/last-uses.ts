// When tokens were last used.
import * as Type from 'typebox'

/** By accessor. */
export const lastUses = Type.Record(
  Type.String(),
  Type.String({ description: 'Minute of the last use, RFC 3339' }),
  {
    $id: 'LastUses',
    examples: [{ '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4': '2026-03-01T12:34:00Z' }]
  }
)
