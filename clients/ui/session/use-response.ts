import { useEffect, useRef, useState } from 'preact/hooks'
import type { Schemas } from '../../typescript/typed/index.js'
import { backoff, pause } from '../../typescript/backoff.js'
import type { Query } from '../../typescript/connection.js'
import { Unreachable } from '../../typescript/failures.js'
import { queryAsOf, asOfIndex } from '../time-travel/as-of-state.js'
import { messageOf } from '../../../events/errors.js'
import { client, readJson } from './session.js'
import type { TenancyQuery } from './tenancy.js'
import { useLocation } from 'preact-iso'

/** A number, and a function that changes it, which repeats the requests that depend on it. */
export const useTurn = (): readonly [turn: number, refresh: () => void] => {
  const [turn, setTurn] = useState(0)
  return [turn, () => setTurn(before => before + 1)]
}

const areSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((value, at) => Object.is(value, others[at]))

/** Returns a value that is valid for these inputs: undefined after a change of one, until it is set for the changed ones. */
export const useValueFor = <T>(
  inputs: readonly unknown[]
): readonly [value: T | undefined, set: (value: T | undefined) => void] => {
  const [held, setHeld] = useState<{ readonly inputs: readonly unknown[]; readonly value: T | undefined }>()
  const latest = useRef(inputs)
  latest.current = inputs
  const set = (value: T | undefined): void => {
    if (areSame(inputs, latest.current)) setHeld({ inputs, value })
  }
  return [held && areSame(held.inputs, inputs) ? held.value : undefined, set]
}

/**
 * Runs a task. A changed dependency aborts it and runs it again; a changed turn runs it again after its end, so that frequent changes
 * do not starve it. `fail` is not called after an abort.
 */
export const useTask = (
  task: (signal: AbortSignal) => Promise<void>,
  fail: (error: unknown) => void,
  dependencies: readonly unknown[],
  turn?: unknown
): void => {
  const latest = useRef({ task, fail })
  latest.current = { task, fail }
  const begun = useRef(turn)
  const repeat = useRef<() => void>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let isWanted = true
    const run = async (): Promise<void> => {
      while (isWanted && !signal.aborted) {
        isWanted = false
        await latest.current.task(signal).catch((error: unknown) => {
          if (!signal.aborted) latest.current.fail(error)
        })
      }
    }
    let running = run()
    repeat.current = () => {
      isWanted = true
      running = running.then(run)
    }
    begun.current = turn
    return () => controller.abort()
  }, dependencies)
  useEffect(() => {
    if (begun.current !== turn) repeat.current?.()
    begun.current = turn
  }, [turn])
}

/** Both are undefined until the first response to the request, which stays until it is repeated. */
export interface ResponseState<T> {
  readonly value?: T
  readonly failure?: string
}

/** Returns the result of a task for these inputs. @param format returns the message of a failure */
export const useResult = <T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  format: (error: unknown) => string = messageOf
): ResponseState<T> => {
  const [state = {}, setState] = useValueFor<ResponseState<T>>(inputs)
  const run = async (signal: AbortSignal): Promise<void> => setState({ value: await load(signal) })
  useTask(run, error => setState({ failure: format(error) }), inputs)
  return state
}

/** Repeats an attempt while the server is unreachable. @param note receives each failure to reach it */
const untilReachable = async (
  attempt: () => Promise<void>,
  signal: AbortSignal,
  note: (error: Unreachable) => void = () => {}
): Promise<void> => {
  for (let failures = 1; ; failures++)
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Unreachable) || signal.aborted) throw error
      note(error)
      await pause(backoff(failures), signal)
    }
}

interface RequestOptions {
  readonly query: Query
  readonly signal: AbortSignal
}

/** @param turn another value repeats the requests */
const useRequests = <T>(
  path: string | undefined,
  query: Query,
  turn: unknown,
  follow: (path: string, options: RequestOptions, show: (state: ResponseState<T>) => void) => Promise<void>
): ResponseState<T> => {
  const queryText = JSON.stringify(queryAsOf(path, query))
  const request = [client.value, path, queryText]
  const [response = {}, setResponse] = useValueFor<ResponseState<T>>(request)
  const fail = (error: unknown): void => setResponse({ failure: messageOf(error) })
  useTask(
    async signal => {
      if (path === undefined) return setResponse({})
      const options = { query: JSON.parse(queryText), signal }
      await untilReachable(() => follow(path, options, setResponse), signal, fail)
    },
    fail,
    request,
    turn
  )
  return response
}

const useRead = <T>(
  read: (path: string, options: RequestOptions) => Promise<T>,
  path: string | undefined,
  query: Query,
  attempt: number
): ResponseState<T> =>
  useRequests(path, query, attempt, async (from, options, show) => show({ value: await read(from, options) }))

/** Requests JSON, again after a change. @param path undefined for no request @param attempt a new number repeats the request */
export const useResponse = <T>(path: string | undefined, query: Query = {}, attempt = 0): ResponseState<T> =>
  useRead(readJson<T>, path, query, attempt)

const readText = async (path: string, options: RequestOptions): Promise<string> =>
  (await client.value.connection.request('GET', path, options)).text()

/** As `useResponse`, for plain text. */
export const useText = (path: string | undefined, query: Query, attempt = 0): ResponseState<string> =>
  useRead(readText, path, query, attempt)

/** Follows a blocking read; the previous result stays until the next one arrives. @param path undefined for none */
export const useBlockingQuery = <T>(path: string | undefined, query: Query = {}): ResponseState<T> => {
  // Historical state does not change, so one request is enough.
  const isPast = asOfIndex.value !== undefined
  return useRequests<T>(path, query, undefined, async (from, options, show) => {
    if (isPast) return show({ value: await readJson<T>(from, options) })
    for await (const { value } of client.value.blocking<T>(from, options))
      show(value === undefined ? { failure: `${from} does not exist` } : { value })
  })
}

/** The default namespace, as all permissions of the server itself. */
export const EVERYWHERE: TenancyQuery = { ns: undefined, partition: undefined }

/** @param access such as `write` @param resource such as `acl`; empty for no request @param segment the name of a resource @returns undefined until the server has answered */
export const usePermission = (
  access: string,
  resource: string,
  { ns, partition }: TenancyQuery,
  segment = ''
): boolean | undefined => {
  const tenancy = { Namespace: ns === '*' ? undefined : ns, Partition: partition }
  const { value } = useRequests<readonly Schemas['Authorization'][]>(
    resource === '' ? undefined : '/v1/internal/acl/authorize',
    { Resource: resource, Access: access, Segment: segment, ...tenancy },
    undefined,
    async (path, { query, signal }, show) => {
      const response = await client.value.connection.request('POST', path, { body: [query], signal })
      show({ value: await response.json() })
    }
  )
  return value?.[0]?.Allow
}

export interface Run<T> {
  /** Undefined during a run and after a failure. */
  readonly result?: T
  /** Undefined during a run and after a success. */
  readonly failure?: string
  readonly isRunning: boolean
}

interface ActionState<T> extends Run<T> {
  /** The signal aborts at the next run, at a change of the inputs and when the component is removed. */
  readonly run: (action: (signal: AbortSignal) => Promise<T>) => void
}

/** Returns the state of the last run for these inputs. The result of an earlier run is ignored. */
export const useAction = <T = void>(inputs: readonly unknown[] = []): ActionState<T> => {
  const [state = { isRunning: false }, setState] = useValueFor<Run<T>>(inputs)
  const current = useRef<AbortController>(undefined)
  const abort = (): void => current.current?.abort()
  useEffect(() => abort, inputs)
  const focused = useRef<Element>(null)
  useEffect(() => {
    if (state.failure === undefined || document.activeElement !== document.body) return
    // A button that is disabled during the run has lost the focus.
    if (focused.current instanceof HTMLElement) focused.current.focus()
  }, [state.failure])
  const run = (action: (signal: AbortSignal) => Promise<T>): void => {
    abort()
    const { signal } = (current.current = new AbortController())
    focused.current = document.activeElement
    const show = (next: Run<T>): void => {
      if (!signal.aborted) setState(next)
    }
    show({ isRunning: true })
    action(signal).then(
      result => show({ isRunning: false, result }),
      (error: unknown) => show({ isRunning: false, failure: messageOf(error) })
    )
  }
  return { ...state, run }
}

/** As `route` of `useLocation`, for use after a response: it does nothing if the user has opened another page meanwhile. */
export const useRoute = (): ReturnType<typeof useLocation>['route'] => {
  const { url, route } = useLocation()
  return (...target) => {
    const { pathname, search } = new URL(url, location.origin)
    if (pathname === location.pathname && search === location.search) route(...target)
  }
}
