// JSON Patches (RFC 6902) as text.
import type { Schemas } from '../../typescript/typed/index.js'
import { isObject } from '../../../events/values.js'
import { textOfValue } from '../kv/entries.js'
import { safe } from '../remote/output.js'

type PatchOperation = Schemas['PatchOperation']

const MARKS: Readonly<Record<string, string>> = { add: '+', remove: '-', replace: '~' }

/** Returns lines such as `+ /path: value`, `- /path` and `~ /path: value`. The path of the whole document is `/`. */
export const patchText = (patch: readonly PatchOperation[]): string =>
  patch
    .map(({ op, path, value }) => {
      const suffix = value === undefined ? '' : `: ${JSON.stringify(value)}`
      return safe(`${MARKS[op] ?? op} ${path || '/'}${suffix}`)
    })
    .join('\n')

const withTexts = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          name,
          name === 'Value' ? textOfValue(inner) : withTexts(inner)
        ])
      )
    : value

export const readablePatch = (topic: string, patch: readonly PatchOperation[]): readonly PatchOperation[] =>
  topic === 'KV'
    ? patch.map(operation => ({
        ...operation,
        value: operation.path.endsWith('/Value') ? textOfValue(operation.value) : withTexts(operation.value)
      }))
    : patch
