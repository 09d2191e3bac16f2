// Patches with the values of keys as texts.
import { textOfValue } from '../kv/value-text.js'

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** With each `Value` read. */
const withTexts = (value: unknown): unknown =>
  isFields(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          name,
          name === 'Value' ? textOfValue(inner) : withTexts(inner)
        ])
      )
    : value

interface Operation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

export const readablePatch = (topic: string, patch: readonly Operation[]): readonly Operation[] =>
  topic === 'KV'
    ? patch.map(operation => ({
        ...operation,
        value: operation.path.endsWith('/Value') ? textOfValue(operation.value) : withTexts(operation.value)
      }))
    : patch
