// JSON Patches (RFC 6902) for people: a line for each difference.
import { safe } from './output.js'

export interface PatchOperation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

const MARKS: Readonly<Record<string, string>> = { add: '+', remove: '-', replace: '~' }

/** `+ /path: what is added`, `- /path`, `~ /path: what it is now`; the path of the whole is `/`. */
export const patchText = (patch: readonly PatchOperation[]): string =>
  patch
    .map(({ op, path, value }) => {
      const said = value === undefined ? '' : `: ${JSON.stringify(value)}`
      return safe(`${MARKS[op] ?? op} ${path || '/'}${said}`)
    })
    .join('\n')
