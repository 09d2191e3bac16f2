// The selected namespace and partition, which the address names and links between pages carry.
import { signal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useMemo } from 'preact/hooks'
import type { Query, QueryValue } from '../../typescript/connection.js'

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

const text = (value: QueryValue): string | undefined => (typeof value === 'string' ? value : undefined)

export const tenancyQueryOf = ({ ns, partition }: Query): TenancyQuery => ({
  ns: ns === '*' ? undefined : text(ns),
  partition: text(partition)
})

/** Selects all namespaces, or all partitions. */
export const ALL = '*'
const NAMES = ['ns', 'partition'] as const

/** Absent names stand for the default. */
type Choice = Readonly<Partial<Record<(typeof NAMES)[number], string>>>

const chosen = signal<Choice>({})

/** A stable object while the selection is the same. */
export interface Tenancy {
  /** `*`, the default, selects all. */
  readonly ns: string
  /** `*` selects all; undefined for the server's default. */
  readonly partition: string | undefined
  /** For `useStream` and `client.events`. */
  readonly ofStream: { readonly namespace: string; readonly partition?: string }
  /** For API requests, none of which accepts `*` as partition: it is omitted. */
  readonly query: Query
}

/** The address of a resource names the tenancy of the resource, which is not a selection. */
const isResourcePage = (path: string): boolean => path.endsWith('/one')

const namedIn = (query: Readonly<Record<string, string>>): Choice =>
  Object.fromEntries(NAMES.flatMap(name => (query[name] ? [[name, query[name]]] : [])))

/** Returns the names in the address, completed with the previous selection. */
const choiceAt = (path: string, query: Readonly<Record<string, string>>): Choice =>
  isResourcePage(path) ? chosen.value : { ...chosen.value, ...namedIn(query) }

/** The tenancy that lists and forms use. */
export const useTenancy = (): Tenancy => {
  const { path, query } = useLocation()
  const { ns = ALL, partition } = choiceAt(path, query)
  return useMemo(
    () => ({
      ns,
      partition,
      ofStream: { namespace: ns, ...(partition === undefined ? {} : { partition }) },
      query: { ns, partition: partition === ALL ? undefined : partition }
    }),
    [ns, partition]
  )
}

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
