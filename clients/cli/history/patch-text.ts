// JSON Patches (RFC 6902) as text.
import { textOfValue } from '../kv/entries.js'
import { safe } from '../remote/output.js'

export interface PatchOperation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

const MARKS: Readonly<Record<string, string>> = { add: '+', remove: '-', replace: '~' }

/** Returns lines such as `+ /path: value`, `- /path` and `~ /path: value`. The path of the whole document is `/`. */
export const patchText = (patch: readonly PatchOperation[]): string =>
  patch
    .map(({ op, path, value }) => {
      const said = value === undefined ? '' : `: ${JSON.stringify(value)}`
      return safe(`${MARKS[op] ?? op} ${path || '/'}${said}`)
    })
    .join('\n')

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
