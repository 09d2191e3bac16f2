// `--watch`: runs a read again after each change of the resources that it has read.
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { indexIn } from '../../typescript/answer.js'
import { isTransient } from '../../typescript/failures.js'
import { type Console, Failed, hasStatus, textOf } from '../console.js'
import { runUntilInterrupted } from './child.js'

type Fetch = typeof fetch
export type WrapFetch = (fetching: Fetch) => Fetch

/** Interval of reads that cannot block, in ms. */
const POLL = 2000
/** Minimum time between two runs, in ms. */
const BETWEEN = 300
const CLEAR_SCREEN = '\u001b[2J\u001b[H'

interface Recorded {
  readonly fetching: Fetch
  readonly init: RequestInit | undefined
  /** Empty for a read that cannot block. */
  readonly index: string
}

const isGet = (init: RequestInit | undefined): boolean => (init?.method ?? 'GET') === 'GET'

/** The reads of one run, by URL. */
class RecordedReads {
  readonly #reads = new Map<string, Recorded>()

  constructor(private readonly signal: AbortSignal) {}

  readonly record: WrapFetch = fetching => async (input, init) => {
    const signal = init?.signal ? AbortSignal.any([init.signal, this.signal]) : this.signal
    const response = await fetching(input, { ...init, signal })
    const url = input instanceof Request ? input.url : String(input)
    if (isGet(init)) this.#reads.set(url, { fetching, init, index: indexIn(response.headers) })
    return response
  }

  /** Resolves after a change of one of the resources, or after the interval of a read that cannot block. */
  async changed(): Promise<void> {
    const controller = new AbortController()
    const signal = AbortSignal.any([this.signal, controller.signal])
    const canBlock = [...this.#reads].filter(([, { index }]) => Number(index) > 0)
    const waits = canBlock.map(([url, recorded]) => this.#block(url, recorded, signal))
    if (canBlock.length < Math.max(1, this.#reads.size)) waits.push(pause(POLL, undefined, { signal }))
    for (const wait of waits) wait.catch(() => {})
    try {
      await Promise.race(waits)
    } finally {
      controller.abort()
    }
    await pause(BETWEEN, undefined, { signal: this.signal })
  }

  async #block(url: string, { fetching, init, index }: Recorded, signal: AbortSignal): Promise<void> {
    const blocked = new URL(url)
    blocked.searchParams.set('index', index)
    blocked.searchParams.set('wait', '1m')
    try {
      const response = await fetching(blocked, { ...init, signal })
      await response.body?.cancel()
      if (response.ok || response.status === 404) return
    } catch {
      signal.throwIfAborted()
    }
    await pause(POLL, undefined, { signal })
  }
}

/** A console whose output is collected. */
const collecting = (console: Console, texts: Buffer[]): Console => {
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      texts.push(chunk)
      done()
    }
  })
  return { ...console, out: sink, err: sink }
}

/** Runs a read until Ctrl-C, and prints its output when it differs from the last one. A missing resource is awaited. @throws as the first run */
export const watchRead = async (
  console: Console,
  once: (console: Console, wrap: WrapFetch) => Promise<void>
): Promise<void> => {
  const isTerminal = 'isTTY' in console.out && console.out.isTTY === true
  let shown: string | undefined
  const runOnce = async (reads: RecordedReads, signal: AbortSignal): Promise<void> => {
    const texts: Buffer[] = []
    try {
      await once(collecting(console, texts), reads.record)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Failed || hasStatus(error, 404) || (shown !== undefined && isTransient(error))))
        throw error
      texts.push(Buffer.from(textOf(error)))
    }
    const text = Buffer.concat(texts).toString()
    if (text !== shown) console.out.write(`${isTerminal ? CLEAR_SCREEN : ''}${text}`)
    shown = text
  }
  await runUntilInterrupted(async signal => {
    try {
      for (;;) {
        const reads = new RecordedReads(signal)
        await runOnce(reads, signal)
        await reads.changed()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  })
}
