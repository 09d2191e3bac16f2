// Values of keys as texts, where answers have them in Base64.

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A text that people can read; undefined for other bytes. */
const textIn = (base64: string): string | undefined => {
  const text = Buffer.from(base64, 'base64').toString()
  return /[\uFFFD\p{Cc}]/u.test(text.replaceAll('\n', '')) ? undefined : text
}

const readable = (value: unknown): unknown => (typeof value === 'string' ? (textIn(value) ?? value) : value)

/** With each `Value` read. */
const withTexts = (value: unknown): unknown =>
  isFields(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          name,
          name === 'Value' ? readable(inner) : withTexts(inner)
        ])
      )
    : value

interface Operation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

/** A patch of the thing of a topic, for people. */
export const readablePatch = (topic: string, patch: readonly Operation[]): readonly Operation[] =>
  topic === 'KV'
    ? patch.map(operation => ({
        ...operation,
        value: operation.path.endsWith('/Value') ? readable(operation.value) : withTexts(operation.value)
      }))
    : patch
