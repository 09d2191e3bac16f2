// The selected namespace and partition, which the address names and links between pages carry.
import { signal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useMemo } from 'preact/hooks'
import type { Query } from '../../typescript/connection.js'

/** Undefined stands for the default. */
export interface TenancyQuery extends Query {
  readonly ns: string | undefined
  readonly partition: string | undefined
}

/** The namespace and partition of a resource. */
export interface Place extends TenancyQuery {
  readonly ns: string
  readonly partition: string
}

/** Selects all namespaces, or all partitions. */
export const ALL = '*'
const NAMES = ['ns', 'partition'] as const

/** Absent names stand for the default. */
type Choice = Readonly<Partial<Record<(typeof NAMES)[number], string>>>

const chosen = signal<Choice>({})

/** The address of a resource names the tenancy of the resource, which is not a selection. */
const isResourcePage = (path: string): boolean => path.endsWith('/one')

const namedIn = (query: Readonly<Record<string, string>>): Choice =>
  Object.fromEntries(NAMES.flatMap(name => (query[name] ? [[name, query[name]]] : [])))

/** Returns the names in the address, completed with the previous selection. */
const choiceAt = (path: string, query: Readonly<Record<string, string>>): Choice =>
  isResourcePage(path) ? chosen.value : { ...chosen.value, ...namedIn(query) }

/** The tenancy that lists and forms use, a stable object while the selection is the same. */
export const useTenancy = () => {
  const { path, query } = useLocation()
  const { ns = ALL, partition } = choiceAt(path, query)
  return useMemo(
    () => ({
      /** `*`, the default, selects all. */
      ns,
      /** `*` selects all; undefined for the server's default. */
      partition,
      /** For `useStream` and `client.events`. */
      ofStream: { namespace: ns, ...(partition === undefined ? {} : { partition }) },
      /** For API requests, none of which accepts `*` as partition: it is omitted. */
      query: { ns, partition: partition === ALL ? undefined : partition }
    }),
    [ns, partition]
  )
}

export type Tenancy = ReturnType<typeof useTenancy>

/** Adds the selection to an address that names none. */
export const withTenancy = (address: string, choice: Choice = chosen.value): string => {
  const url = new URL(address, location.origin)
  const left = NAMES.filter(name => choice[name] !== undefined && !url.searchParams.has(name))
  if (left.length === 0 || isResourcePage(url.pathname)) return address
  for (const name of left) url.searchParams.set(name, choice[name] ?? ALL)
  return url.pathname + url.search + url.hash
}

/** Changes the selection. @returns the address with the new selection */
export const selectTenancy = (address: string, changed: Choice): string => {
  chosen.value = { ...chosen.value, ...changed }
  const url = new URL(address, location.origin)
  for (const name of NAMES) if (!isResourcePage(url.pathname)) url.searchParams.delete(name)
  return withTenancy(url.pathname + url.search)
}

/** Adopts the selection of an address. @returns the address with the whole selection */
export const storeTenancy = (url: string, path: string, query: Readonly<Record<string, string>>): string => {
  const choice = choiceAt(path, query)
  const before = chosen.peek()
  if (NAMES.some(name => choice[name] !== before[name])) chosen.value = choice
  return withTenancy(url, choice)
}
