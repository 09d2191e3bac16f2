// Which namespace and partition the pages show: chosen once, named in the address, and carried from page to page.
import { signal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useMemo } from 'preact/hooks'
import type { Query } from '../../typescript/connection.js'

/** All namespaces, or all partitions. */
export const ALL = '*'
const NAMES = ['ns', 'partition'] as const

/** What addresses and people name; what is absent is left to the default. */
type Choice = Readonly<Partial<Record<(typeof NAMES)[number], string>>>

const chosen = signal<Choice>({})

/** What pages go by. The same object as long as the same is chosen. */
export interface Tenancy {
  /** `*` for all, which it is unless another one was chosen. */
  readonly ns: string
  /** `*` for all; undefined unless one was chosen, and then the server takes its default. */
  readonly partition: string | undefined
  /** For `useStream` and `client.events`. */
  readonly ofStream: { readonly namespace: string; readonly partition?: string }
  /** For questions to the API, none of which takes all partitions: then it names none. */
  readonly query: Query
}

/** The page of one thing names in its address where the thing is, which is no choice. */
const isResourcePage = (path: string): boolean => path.endsWith('/one')

const namedIn = (query: Readonly<Record<string, string>>): Choice =>
  Object.fromEntries(NAMES.flatMap(name => (query[name] ? [[name, query[name]]] : [])))

/** What the address names, and for what it leaves out what was chosen before. */
const choiceAt = (path: string, query: Readonly<Record<string, string>>): Choice =>
  isResourcePage(path) ? chosen.value : { ...chosen.value, ...namedIn(query) }

/** Where the pages are: lists and forms go by it. */
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

/** An address of the pages with what is chosen, unless it names something else itself. */
export const withTenancy = (address: string, choice: Choice = chosen.value): string => {
  const url = new URL(address, location.origin)
  const left = NAMES.filter(name => choice[name] !== undefined && !url.searchParams.has(name))
  if (left.length === 0 || isResourcePage(url.pathname)) return address
  for (const name of left) url.searchParams.set(name, choice[name] ?? ALL)
  return url.pathname + url.search + url.hash
}

/** Another choice, and the address of a page that names it. */
export const selectTenancy = (address: string, changed: Choice): string => {
  chosen.value = { ...chosen.value, ...changed }
  const url = new URL(address, location.origin)
  for (const name of NAMES) if (!isResourcePage(url.pathname)) url.searchParams.delete(name)
  return withTenancy(url.pathname + url.search)
}

/** Keeps what an address names. @returns the address that names what is chosen */
export const storeTenancy = (url: string, path: string, query: Readonly<Record<string, string>>): string => {
  const choice = choiceAt(path, query)
  const before = chosen.peek()
  if (NAMES.some(name => choice[name] !== before[name])) chosen.value = choice
  return withTenancy(url, choice)
}
