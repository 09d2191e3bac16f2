// Completions from the server and the contexts of the user.
import type { Connection } from '../../typescript/connection.js'
import { isObject } from '../../../events/values.js'
import { readContexts } from '../contexts/contexts.js'

interface CompletionRequest {
  /** The text before the cursor. */
  readonly current: string
  /** The arguments before it. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** @throws UsageError */
  readonly connect: () => Promise<Connection>
}

/** Returns texts that the argument or flag may have. */
export type CompletionSource = (request: CompletionRequest) => Promise<readonly string[]>

/** Maximum time of a request, in ms: the user waits. */
const TIMEOUT = 1500

const read = async ({ connect }: CompletionRequest, path: string): Promise<unknown> =>
  (await (await connect()).request('GET', path, { signal: AbortSignal.timeout(TIMEOUT) })).json()

const textsIn = (
  value: unknown,
  textOf: (row: Readonly<Record<string, unknown>>) => unknown
): readonly string[] =>
  (Array.isArray(value) ? value : [])
    .filter(isObject)
    .map(textOf)
    .filter((text): text is string => typeof text === 'string' && text !== '')

/** Completes with a field of the elements of a list. */
export const namesAt =
  (path: string, field = 'Name'): CompletionSource =>
  async request =>
    textsIn(await read(request, path), row => row[field])

export const keyNames: CompletionSource = async request => {
  const prefix = request.current.replace(/[^/]*$/, '')
  const keys = await read(request, `/v1/kv/${encodeURIComponent(prefix)}?keys&separator=/`)
  return Array.isArray(keys) ? keys.filter(key => typeof key === 'string') : []
}

export const configEntries: CompletionSource = async request =>
  textsIn(await read(request, '/v1/config/'), ({ Kind, Name }) => `${String(Kind)}/${String(Name ?? Kind)}`)

/** Kinds that have an entry. */
export const configKinds: CompletionSource = async request => [
  ...new Set(textsIn(await read(request, '/v1/config/'), ({ Kind }) => Kind))
]

export const serviceNames: CompletionSource = async request =>
  Object.keys(Object(await read(request, '/v1/catalog/services')))

export const nodeNames = namesAt('/v1/catalog/nodes', 'Node')

export const contextNames: CompletionSource = async ({ env }) => [...(await readContexts(env)).byName.keys()]

/** Completes with fixed texts. */
export const oneOf =
  (texts: readonly string[]): CompletionSource =>
  () =>
    Promise.resolve(texts)
