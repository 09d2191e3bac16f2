import { recovery } from '../../../events/errors.js'
import type { Query } from '../../typescript/connection.js'
import type { Permission, Reader } from './reader.js'
import { type Resource, isSame } from './resource.js'
import { RequestRefused } from '../../typescript/failures.js'
import { stringify } from 'lossless-json'
import pLimit from 'p-limit'
import { batchesOf } from '../kv/transfer.js'
import type { Run } from '../remote/command.js'
import type { ImportReport } from './report.js'

export interface Writing {
  readonly method: 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: Query
  /** Sent as JSON, except bytes. */
  readonly body?: unknown
}

/** Both servers are read in the same way. */
export interface Kind {
  /** As in `--only`. */
  readonly name: string
  /** Other kinds are read in `default` only. */
  readonly isNamespaced: boolean
  /** Imported only if `--only` names it. */
  readonly isByChoice?: true
  /** Permissions without which the server silently omits entries from lists. */
  readonly needs?: readonly Permission[]
  /** The permission that no narrower rule limits. */
  readonly needsForAll?: Permission
  /** @throws RequestRefused, Unreachable */
  readonly read: (reader: Reader) => Promise<readonly Resource[]>
  /** Returns known obstacles by resource name before the first write. @throws RequestRefused, Unreachable */
  readonly foreseen?: (resources: readonly Resource[], target: Reader) => Promise<ReadonlyMap<string, string>>
  /** @param there the resource on the target */
  readonly writing: (resource: Resource, there: Resource | undefined) => readonly Writing[]
  /** Writes several resources atomically. */
  readonly together?: (resources: readonly Resource[]) => Writing
}

interface SourceContents {
  readonly resources: readonly Resource[]
  /** Reasons why some resources may be missing. */
  readonly gaps: readonly string[]
}

const nameOf = ({ Resource, Access }: Permission): string => `${Resource}:${Access}`

/** Servers silently omit what a token may not read, so its permissions are checked. */
const gapsOf = async ({ needs = [], needsForAll }: Kind, reader: Reader): Promise<readonly string[]> => {
  if (needs.length === 0) return []
  const lacking = await reader.lacking(needsForAll ? [...needs, needsForAll] : needs)
  const missing = lacking.filter(permission => permission !== needsForAll)
  if (missing.length > 0)
    return [
      `the token of the source lacks ${missing.map(nameOf).join(' and ')}: what it may not read is missing`
    ]
  if (lacking.length === 0) return []
  return [
    `the token of the source lacks ${lacking.map(nameOf).join()}, so a narrower rule may hide some: a management token reads all`
  ]
}

const unknownGaps = recovery(RequestRefused, ({ message }) => [
  `the source does not say what its token may read, so some may be missing: ${message}`
])

/** @throws RequestRefused, Unreachable */
export const readSource = async (kind: Kind, reader: Reader): Promise<SourceContents> => {
  const gaps = await gapsOf(kind, reader).catch(unknownGaps)
  const resources = await kind.read(reader)
  const isHidden = gaps.length === 0 && reader.isFiltered
  return { resources, gaps: isHidden ? ['the source hides some that its token may not read'] : gaps }
}

/** Maximum of concurrent writes. */
const AT_ONCE = 16
/** Default limits of a transaction, reduced by the overhead of each operation. */
const MOST = { count: 64, size: 500 * 1024 }

/** The import of one kind from one namespace. */
export interface ImportRun {
  readonly kind: Kind
  readonly namespace: string
  /** @throws RequestRefused, Unreachable */
  readonly source: (kind: Kind, namespace: string) => Promise<SourceContents>
  readonly target: Reader
  readonly send: Run['send']
  readonly report: ImportReport
  readonly isDryRun: boolean
  readonly overwrites: boolean
  readonly progress: (
    kind: string,
    total: number,
    use: (advance: (done: number) => void) => Promise<void>
  ) => Promise<void>
}

interface Planned {
  readonly resource: Resource
  readonly there: Resource | undefined
}

const isRefusal = (error: unknown): error is RequestRefused | SyntaxError =>
  error instanceof RequestRefused || error instanceof SyntaxError

/** Imports the resources and reports each refused one. @throws Unreachable; the next import continues after those already written */
export const importKind = async (run: ImportRun): Promise<void> => {
  const { kind, namespace, source, report, isDryRun } = run
  const read = async <Value>(failure: string, use: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await use()
    } catch (error) {
      if (!isRefusal(error)) throw error
      report.unread(kind.name, namespace, `${failure}: ${error.message}`)
      return undefined
    }
  }
  const contents = await read('cannot be read', () => source(kind, namespace))
  if (contents === undefined) return
  for (const gap of contents.gaps) report.unread(kind.name, namespace, gap)
  const plan = await read('cannot be compared with the server that takes it', () =>
    planOf(run, contents.resources)
  )
  if (plan === undefined) return
  if (isDryRun) plan.forEach(() => report.written(kind.name))
  else await writeAll(run, plan)
}

/** @throws RequestRefused, SyntaxError if the target cannot be read, Unreachable */
const planOf = async (run: ImportRun, resources: readonly Resource[]): Promise<readonly Planned[]> => {
  const { kind, namespace, target } = run
  const there = await resourcesThere(kind, target.in(namespace))
  const foreseen = await kind.foreseen?.(resources, target)
  const all = resources.map(resource => withFate(resource, foreseen))
  return all.flatMap(resource => planned(run, resource, there.get(resource.name)))
}

const withFate = (resource: Resource, foreseen: ReadonlyMap<string, string> | undefined): Resource => {
  const cannot = resource.cannot ?? foreseen?.get(resource.name)
  return cannot === undefined ? resource : { ...resource, cannot }
}

/** Returns nothing for a namespace that does not exist yet, as in a dry run. */
const resourcesThere = async (kind: Kind, target: Reader): Promise<ReadonlyMap<string, Resource>> => {
  const missing = recovery(RequestRefused, (error): readonly Resource[] => {
    if (![400, 404].includes(error.status) || target.namespace === 'default') throw error
    return []
  })
  const found = await kind.read(target).catch(missing)
  return new Map(found.map(resource => [resource.name, resource]))
}

const planned = (
  { kind, namespace, report, overwrites }: ImportRun,
  resource: Resource,
  there: Resource | undefined
): readonly Planned[] => {
  if (resource.isAsMade) return []
  if (resource.cannot !== undefined) report.left(kind.name, namespace, resource.name, resource.cannot)
  else if (there === undefined || there.isAsMade) return [{ resource, there }]
  else if (isSame(resource, there)) report.same(kind.name)
  else if (overwrites) return [{ resource, there }]
  else report.differing(kind.name, namespace, resource.name)
  return []
}

/** Retries refused resources while any succeed, because one may refer to another of its kind. */
const writeAll = async (run: ImportRun, plan: readonly Planned[]): Promise<void> => {
  const { kind, namespace, report, progress } = run
  const name = namespace === 'default' ? kind.name : `${kind.name} (${namespace})`
  await progress(name, plan.length, async advance => {
    let done = 0
    let left = plan
    for (;;) {
      const refused: { readonly one: Planned; readonly why: string }[] = []
      const limit = pLimit(AT_ONCE)
      const writeGroup = async (group: readonly Planned[]): Promise<void> => {
        for (const { one, why } of await write(run, group)) {
          if (why === undefined) {
            report.written(kind.name)
            advance(++done)
          } else refused.push({ one, why })
        }
      }
      try {
        await Promise.all([...groupsOf(kind, left)].map(group => limit(() => writeGroup(group))))
      } finally {
        limit.clearQueue()
      }
      if (refused.length === 0) return
      if (refused.length === left.length) {
        for (const { one, why } of refused) report.left(kind.name, namespace, one.resource.name, why)
        return
      }
      left = refused.map(({ one }) => one)
    }
  })
}

/** Groups resources for kinds that can be written together. */
const groupsOf = ({ together }: Kind, plan: readonly Planned[]): Iterable<readonly Planned[]> =>
  batchesOf(plan, MOST, ({ resource }) =>
    together ? Buffer.byteLength(stringify(together([resource]).body) ?? '') : Infinity
  )

/** Returns the reason for each refused resource, undefined for each written one. */
const write = async (
  run: ImportRun,
  group: readonly Planned[]
): Promise<readonly { readonly one: Planned; readonly why: string | undefined }[]> => {
  const { kind } = run
  const [first] = group
  if (!first) return []
  const writings =
    group.length > 1 && kind.together
      ? [kind.together(group.map(({ resource }) => resource))]
      : kind.writing(first.resource, first.there)
  try {
    for (const writing of writings) await sendOne(run, writing)
    return group.map(one => ({ one, why: undefined }))
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (group.length === 1) return group.map(one => ({ one, why: error.message }))
    const alone = await Promise.all(group.map(one => write(run, [one])))
    return alone.flat()
  }
}

const sendOne = async (
  { namespace, send }: ImportRun,
  { method, path, query, body }: Writing
): Promise<void> => {
  const isJson = body !== undefined && !(body instanceof Uint8Array)
  await send(method, path, {
    query: { ns: namespace, ...query },
    body: isJson ? stringify(body) : body,
    headers: isJson ? { 'Content-Type': 'application/json' } : {}
  })
}
