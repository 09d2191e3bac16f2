// What `annals watch` can look at: which path tells of it.
import type { Query } from '../../typescript/connection.js'
import { UsageError } from '../console.js'

export interface Watched {
  readonly path: string
  readonly query?: Query
  /** The answer is a list, of which the first element is meant. */
  readonly isFirst?: true
}

/** What flags say of it. */
export interface Wish {
  readonly type: string | undefined
  readonly key: string | undefined
  readonly prefix: string | undefined
  readonly service: string | undefined
  readonly tag: readonly string[]
  readonly passingonly: boolean
  readonly state: string | undefined
  readonly name: string | undefined
  readonly path: string | undefined
}

const needed = (value: string | undefined, flag: string, type: string): string => {
  if (value === undefined) throw new UsageError(`--type ${type} needs --${flag}`)
  return value
}

const segment = encodeURIComponent

const types: Readonly<Record<string, (wish: Wish) => Watched>> = {
  key: ({ key }) => ({ path: `/v1/kv/${segment(needed(key, 'key', 'key'))}`, isFirst: true }),
  keyprefix: ({ prefix }) => ({
    path: `/v1/kv/${segment(needed(prefix, 'prefix', 'keyprefix'))}`,
    query: { recurse: true }
  }),
  services: () => ({ path: '/v1/catalog/services' }),
  nodes: () => ({ path: '/v1/catalog/nodes' }),
  service: ({ service, tag, passingonly }) => ({
    path: `/v1/health/service/${segment(needed(service, 'service', 'service'))}`,
    query: { tag, passing: passingonly }
  }),
  checks: ({ service, state = 'any' }) => ({
    path:
      service === undefined ? `/v1/health/state/${segment(state)}` : `/v1/health/checks/${segment(service)}`
  }),
  event: ({ name }) => ({ path: '/v1/event/list', query: { name } })
}

export const WATCH_TYPES = Object.keys(types)

/** @throws UsageError */
export const watchedBy = (wish: Wish): Watched => {
  const { type, path } = wish
  if ((type === undefined) === (path === undefined))
    throw new UsageError('what is watched is told by --type, or by --path')
  if (path !== undefined) {
    if (!path.startsWith('/v1/')) throw new UsageError(`"${path}" is no path of the API: it begins with /v1/`)
    return { path }
  }
  const watched = types[type ?? '']
  if (!watched) throw new UsageError(`there is no type "${type}": it is one of ${WATCH_TYPES.join(', ')}`)
  return watched(wish)
}
